"""What annotators wrote: frequent words, topics, and the elements of a story that their reasons speak of.

Mori et al. 2019, section 4.4, A.4 and Figure 2. Everything here works on a table `votes` alone.
"""

ELEMENTS = ("logic", "relevance", "emotion", "morality", "common_sense", "grammar")
"""What reasons speak of, in the order of the paper."""
