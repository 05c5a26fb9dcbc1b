"""The playground behaves as Telegram does."""
