"""Real Kafka nodes as plain processes: what the admin client is tested against."""
