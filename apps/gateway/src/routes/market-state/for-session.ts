import { type FixedRepresentation, fixedRepresentation } from '../../serving/http/representation';

const KEYED = '"auth_state":"api_key"';
const IN_SESSION = '"auth_state":"account_session"';

const made = new WeakMap<FixedRepresentation, FixedRepresentation>();

/**
 * A response rendered for keys, saying that a session opened it; made once for each. The quotation marks of what is replaced are
 * escaped wherever text holds them, so it stands in `meta` alone.
 */
export function forSession(keyed: FixedRepresentation): FixedRepresentation {
  const known = made.get(keyed);
  if (known !== undefined) return known;
  const inSession = fixedRepresentation(Buffer.from(keyed.bodies.identity.toString('utf8').replace(KEYED, IN_SESSION)));
  made.set(keyed, inSession);
  return inSession;
}
