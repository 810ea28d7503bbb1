"""The reasons of annotators: frequent words, topics, and the elements of a story that reasons name.

Mori et al. 2019, section 4.4, A.4 and Figure 2. All of it needs only a table `votes`.
"""

ELEMENTS = ("logic", "relevance", "emotion", "morality", "common_sense", "grammar")
"""The elements of a story that reasons name, in the order of the paper."""
