"""The commands of `stay-away` that need neither Telegram nor a database."""
