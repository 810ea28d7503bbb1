from denouement.text.treebank import treebank_tokens


def test_tokens_are_those_of_the_penn_treebank():
    assert treebank_tokens("\"I can't,\" said Ann's dog.") == (
        *("``", "I", "ca", "n't", ",", "''", "said", "Ann", "'s", "dog", "."),
    )
