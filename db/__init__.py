"""Remembering: PostgreSQL through SQLAlchemy Core and psycopg."""
