import { ownMeta } from '../../serving/answers/account-answer';
import { jsonRepresentation } from '../../serving/http/representation';
import { releaseSentence, releaseStatus } from '../../release/release-status';
import type { RunningRelease } from '../../release/running-release';
import type { Handler } from '../../serving/answers/handler';

/** What runs, held against what was built. The preview tells the same without a key. */
export function getReleaseStatus(release: RunningRelease, preview = false): Handler<'getReleaseStatus'> {
  return async (call) => {
    const fields = releaseStatus(await release.check());
    const access = { requires_api_key: call.operation.requiresApiKey, metered: call.operation.metered };
    return jsonRepresentation({ ...fields, ...access, meta: ownMeta(call, releaseSentence(fields.release_state), preview) });
  };
}
