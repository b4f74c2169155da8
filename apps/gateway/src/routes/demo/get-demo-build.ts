import { loadPolicy } from '@market-state/labeler';
import { EVENT_ROW_SCHEMA } from '@market-state/market-data';
import { ownMeta } from '../../serving/answers/account-answer';
import { jsonRepresentation } from '../../serving/http/representation';
import { openApiDocument, type WithoutMeta } from '../../serving/openapi/document';
import { operationById } from '../../serving/openapi/operations';
import type { ReleaseRecord } from '../../release/release-parts';
import type { RunningRelease } from '../../release/running-release';
import type { Handler } from '../../serving/answers/handler';

const NOT_RECORDED = 'The gateway runs from source, without a build record.';
const NOT_VERSIONED = 'The sources of this build are not under version control.';

function toPart({ name, sha256, bytes }: ReleaseRecord['parts'][number]) {
  return { part: name, sha256, bytes: bytes ?? null };
}

function nullReasons(record: ReleaseRecord | null): Readonly<Record<string, string>> {
  if (record === null)
    return Object.fromEntries(
      ['build_time_utc', 'release_fingerprint', 'source_digest', 'source_revision', 'source_modified', 'parts'].map((field) => [
        field,
        NOT_RECORDED,
      ]),
    );
  return record.source_revision === null ? { source_revision: NOT_VERSIONED, source_modified: NOT_VERSIONED } : {};
}

export function getDemoBuild(release: RunningRelease): Handler<'getDemoBuild'> {
  return async (call) => {
    const { record } = await release.check();
    const { digest, versions } = loadPolicy();
    const fields: WithoutMeta<'DemoBuild'> = {
      status: record === null ? 'not_recorded' : 'recorded',
      interface_version: openApiDocument.info.version,
      packet_type: 'market_state.v1',
      row_schema: EVENT_ROW_SCHEMA,
      policy_digest: digest,
      policy_versions: versions,
      build_time_utc: record?.built_at_utc ?? null,
      release_fingerprint: record?.release_fingerprint ?? null,
      source_digest: record?.source_digest ?? null,
      source_revision: record?.source_revision ?? null,
      source_modified: record?.source_modified ?? null,
      part_total: record?.parts.length ?? 0,
      parts: record?.parts.map(toPart) ?? null,
      null_reasons: nullReasons(record),
      release_status_route: operationById('getDemoRelease').path,
    };
    return jsonRepresentation({
      ...fields,
      meta: ownMeta(call, record === null ? NOT_RECORDED : 'Parts as recorded when this build was made.', true),
    });
  };
}
