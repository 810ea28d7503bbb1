"""How far scores of endings agree with what people say about them."""
