"""What readers need to know to understand a section, for those who know neither the project nor the papers."""

TERMS: dict[str, list[tuple[str, str]]] = {
    "data": [
        (
            "Story",
            "Five sentences of everyday life, such as those of the ROCStories corpus. Generators learn from them.",
        ),
        (
            "Case",
            "The first four sentences of a story, its context, with two endings, of which one is right (Story Cloze "
            "Test). Generators write a third.",
        ),
        (
            "Train, validation, test",
            "What a system learns from; what is kept apart to choose between its versions; what it is measured on in "
            "the end.",
        ),
        (
            "Blind, excluded, blank",
            "Cases whose right ending the authors of the test do not publish; rows left out because they are in "
            "another file, too, if that was asked for; rows without any text.",
        ),
        (
            "The same story twice",
            "A system that is tested on a story that it learned from looks better than it is. Stories are the "
            "same when their ids or their contexts are.",
        ),
    ],
    "statistics": [
        (
            "Mean, deviation, median",
            "The mean; how far values usually are from it; and the value that half of the values are below.",
        ),
        (
            "95% interval, p",
            "The range in which the true value probably is, for all stories of the same kind; and how likely chance "
            "alone makes such a difference. Below 0.05 is the usual bound.",
        ),
        (
            "d (effect size)",
            "A difference measured by how much single endings differ anyway: 0.2 is small, 0.5 medium, 0.8 large.",
        ),
        (
            "z of the log-odds",
            "How much more often a word is in right endings than in wrong ones (below 0: less often), so that rare and "
            "frequent words can be compared. Of thousands of words some are beyond 2 or -2 by chance, few beyond 4.",
        ),
        (
            "Distance",
            "By how much the sentiment of endings would have to be moved, on average, to be spread as that of right "
            "endings. It means something where it is well above what chance gives.",
        ),
        (
            "Complexity (Frazier, Yngve)",
            "How deeply the parts of a sentence are nested within each other, by two ways of counting.",
        ),
    ],
    "training": [
        (
            "Generator",
            "A program that reads the first four sentences of a story and writes the fifth. Two are neural networks: "
            "seq2seq reads them word by word, h_seq2seq as four vectors, one a sentence (Mori et al. 2019).",
        ),
        (
            "Perplexity",
            "At each word of a story, among how many equally likely words the generator is undecided, on average. "
            "Lower is better; 1 would be to know every word beforehand.",
        ),
        (
            "Epoch",
            "One pass over all the stories. The weights of the best one, circled, wrote the endings. A gap that opens "
            "between the two lines means that the generator learns stories by heart.",
        ),
    ],
    "endings": [
        ("Right", "The right ending of the case, which no generator wrote."),
        (
            "Distinct",
            "How many of the endings differ. A generator that always writes the same safe sentence has a low share, "
            "however good that sentence is.",
        ),
        (
            "Log-prob per token",
            "How likely the words are to the generator itself: 0 is certain, lower is less so. It does not say how "
            "good an ending is.",
        ),
    ],
    "sentiment": [
        (
            "Compound score",
            "From -1, as negative as can be, to 1, as positive as can be: what VADER, a list of words with rules, "
            "makes of a sentence. It does not know the story.",
        ),
        (
            "Right, wrong, rocstories",
            "The right and wrong endings of the cases, and the last sentences of the stories.",
        ),
        (
            "t, p",
            "Whether a mean could differ from 0 by chance alone: the smaller p, the less so. Below 0.05 is the usual "
            "bound.",
        ),
        (
            "Why it matters",
            "Where right endings are happier than wrong ones, a system can choose by mood alone, without reading. "
            "And some generators write far happier endings than the stories have.",
        ),
    ],
    "scores": [
        (
            "With a reference",
            "BLEU, ROUGE-L, chrF, reference similarity and token match compare an ending with the right one of the "
            "same story. A good ending that is another one has low values.",
        ),
        (
            "Without one",
            "The others look at the ending alone, at its story, or at the stories that generators learned from. Each "
            "is one side of an ending: a generator that always writes one safe sentence does well on some.",
        ),
        (
            "human_right, human_wrong",
            "The right and the wrong ending of each case, by the same scores: what people's endings reach, and whether "
            "a score tells the two apart at all.",
        ),
    ],
    "story-cloze": [
        ("Accuracy", "The share of cases for which the system chose the right ending: 0.500 is chance, 1.000 perfect."),
        (
            "95% interval",
            "Had other cases of the same kind been drawn, the accuracy would probably lie in it. Two systems whose "
            "intervals hardly overlap really differ.",
        ),
        (
            "Ties, half ties",
            "Cases for whose endings a system has equal scores. The accuracy takes the first ending, right or not; "
            "with half ties each counts as half a case that is right, as drawing lots would come out.",
        ),
        (
            "p",
            "How likely chance alone makes so great a difference from the most accurate system on these cases, with "
            "allowance for the number of systems that are compared. Below 0.05 is the usual bound.",
        ),
        (
            "Trained on",
            "What a system learned from. In folds: each case is scored by a system that learned from the other parts "
            "of the cases. Leaks are cases that were not learned from, since they are scored.",
        ),
        ("Paper", "The accuracy that was published for this system on these cases; empty where there is none."),
    ],
    "human-evaluation": [
        (
            "Items and answers",
            "An item is a story with one or two endings. Several people answer each, so there are more answers.",
        ),
        (
            "Kappa, alpha",
            "How far people agree beyond chance: 1 is always, 0 no more than by chance.",
        ),
        (
            "p, Holm",
            "How likely chance alone comes as far as p says, and the same corrected for how many pairs of systems are "
            "compared. Below 0.05 is the usual bound.",
        ),
        ("human_right, human_wrong", "The right and the wrong ending of the case, which no generator wrote."),
    ],
    "reasons": [
        (
            "Element",
            "What a reason speaks of: logic, relevance, emotion, morality, common sense or grammar (Mori et al. 2019, "
            "4.4). Rules assign them; a reason may name several, or none.",
        ),
        (
            "Precision, recall, F1",
            "Of the elements that the rules assign, the share that a reader assigned, too; of those that the reader "
            "assigned, the share that the rules do; and a mean of both.",
        ),
    ],
}
"""By the anchor of a section, terms and what they mean."""

SYSTEMS = {
    "constant_first": "always takes the first ending: what a system reaches that knows nothing",
    "frequency": "takes the ending whose event is more frequent in texts",
    "ngram_overlap": "takes the ending that shares more words with the context",
    "word_vectors": "takes the ending whose words are nearer in meaning to the context's",
    "sentiment_full": "takes the ending whose mood is that of the context",
    "sentiment_last": "takes the ending whose mood is that of the context's last sentence",
    "skip_thoughts": "compares vectors of sentences, learned by predicting the neighbours of sentences",
    "narrative_chains": "takes the ending whose event often goes with those of the same person in the context",
    "dssm": "is a neural network that learned which endings are near which contexts",
    "ending_reg": "never reads the story: where it is better than chance, the endings alone show which is right",
    "cogcomp": "learns from cases how events, moods and topics follow one another",
    "likelihood": "takes the ending that is likelier to a generator",
    "embedding_cosine": "takes the ending whose sentence vector is nearer to the context's",
    "lm_likelihood": "takes the ending that is likelier to a pretrained language model",
    "lm_probe": "learns from cases what a layer of a pretrained language model shows of the right ending",
    "lm_pairwise": "is a pretrained language model that learned from cases which ending is right",
    "combined": "learns from cases how to weigh the scores of several of the others",
    "ensemble": "is the mean of several systems that learn from cases",
}
"""What each system of the Story Cloze Test does."""
