import { type FixedRepresentation, withOtherValues } from '../../serving/http/representation';
import type { LatestBody } from '../../boards/render-latest';

const KEYED = '"auth_state":"api_key"';
const IN_SESSION = '"auth_state":"account_session"';

type Latest = FixedRepresentation<LatestBody>;

const made = new WeakMap<Latest, Latest>();

/**
 * A response rendered for keys, saying that a session opened it; made once for each. The quotation marks of what is replaced are
 * escaped wherever text holds them, so it stands in `meta` alone.
 */
export function forSession(keyed: Latest): Latest {
  const known = made.get(keyed);
  if (known !== undefined) return known;
  const inSession = withOtherValues(keyed, (json) => json.replace(KEYED, IN_SESSION));
  made.set(keyed, inSession);
  return inSession;
}
