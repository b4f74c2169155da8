"""The market_state.v1 labeler a second time, written from docs/labeling.md and the policy files alone."""
