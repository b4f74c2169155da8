"""
The asynchronous client. The synchronous one, `market_state.generated.sync`, is made from these files by `npm run generate`: both read
as plain code, and neither pays for the other.
"""
