"""TypedDicts of answers, bodies and messages, named as in the OpenAPI document."""

from market_state.generated.schema import *  # noqa: F403
