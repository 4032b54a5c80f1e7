"""Hugging Face's Trainer, with gradient accumulation."""
import tempfile

import torch
from frameworks import Classifier, Examples
from own_clock import watch
from transformers import Trainer, TrainingArguments

model = Classifier()
optimizer = torch.optim.AdamW(model.parameters())
watch(model, optimizer)
arguments = TrainingArguments(tempfile.mkdtemp(), per_device_train_batch_size=8, num_train_epochs=100, gradient_accumulation_steps=2,
                              report_to=[], save_strategy="no", use_cpu=True, disable_tqdm=True, logging_steps=5)
Trainer(model=model, args=arguments, train_dataset=Examples(), optimizers=(optimizer, None)).train()
