"""What people would say of all items, from their answers about some and a score of all (prediction-powered)."""
