from denouement.documents import flattened


def test_nested_keys_are_joined_and_an_empty_mapping_is_a_value():
    assert flattened({"a": {"b": 1, "c": {"d": None}}, "e": {}}) == {"a.b": 1, "a.c.d": None, "e": {}}
