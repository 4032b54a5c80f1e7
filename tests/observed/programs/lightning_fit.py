"""Lightning's Trainer, whose optimizer calls forward and backward in its closure."""
import lightning
import torch
from frameworks import Classifier, Examples
from own_clock import watch


class Module(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.classifier = Classifier()

    def training_step(self, batch, _):
        return self.classifier(**batch)["loss"]

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters())
        watch(self.classifier, optimizer)
        return optimizer


trainer = lightning.Trainer(max_epochs=100, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
                            enable_model_summary=False)
trainer.fit(Module(), torch.utils.data.DataLoader(Examples(), batch_size=8))
