"""What tables of endings and stories show: sentiment, repetition, length."""
