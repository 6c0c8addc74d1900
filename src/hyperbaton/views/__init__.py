"""What people see: text, tables and pictures."""
