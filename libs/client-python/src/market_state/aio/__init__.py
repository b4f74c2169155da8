"""The asynchronous client. `npm run generate` derives the synchronous one, `market_state.generated.sync`, from these
files.
"""
