"""A match followed at the table: `game` keeps the accounts, `entry` reads what is typed, `journal` keeps the file,
`thinking` searches in the background, `screen` shows, `session` holds the conversation, `terminal` has the keyboard.
"""
