"""A language model that tests can afford: a Llama of two layers of width 32, with a small BPE."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

STORIES = [
    "Tom had a test. He studied all night. He slept on the bus. The test was easy. He passed it.",
    "Ann had a dog. It ran off. She looked for it. It was cold. The dog came back.",
    "Bob sang in the rain. A neighbour shouted. He stopped singing.",
]
END = "<|endoftext|>"
CHAT = "{% for message in messages %}<{{ message.role }}>{{ message.content }}\n{% endfor %}<assistant>"


def save_tiny(folder: Path, *, seed: int = 1, chat: bool = False, taught: bool = False) -> Path:
    """Write the model to a folder as `save_pretrained` does, and return the folder.

    The weights are large for random ones, so that what stands in a context changes what is likely after it.

    Args:
        folder: made if it is not there.
        seed: of the weights.
        chat: whether the tokenizer has a template of chats.
        taught: whether it knows `STORIES` nearly by heart, each of which it ends; otherwise its weights are random.
    """
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    bpe.train_from_iterator(
        STORIES, trainers.BpeTrainer(vocab_size=320, special_tokens=[END], initial_alphabet=alphabet)
    )
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=bpe, bos_token=END, eos_token=END)
    if chat:
        tokenizer.chat_template = CHAT
    tokenizer.save_pretrained(folder)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=256,
        initializer_range=0.1 if taught else 0.3,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        tie_word_embeddings=True,
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = LlamaForCausalLM(config)
        if taught:
            _teach(network, tokenizer)
        network.save_pretrained(folder)
    return folder


def _teach(network: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase") -> None:
    import torch

    stories = [torch.tensor([tokenizer.encode(before + story + END)]) for story in STORIES for before in (END, "")]
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    for _ in range(40):
        for ids in stories:
            optimizer.zero_grad()
            network(input_ids=ids, labels=ids).loss.backward()
            optimizer.step()
