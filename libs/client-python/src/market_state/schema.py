"""What answers, bodies and messages have, as TypedDicts by the names of the OpenAPI document."""

from market_state.generated.schema import *  # noqa: F403
