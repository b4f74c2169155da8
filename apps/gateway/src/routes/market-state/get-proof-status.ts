import type { DataHealthWatch } from '../../clients/data-health';
import { servedSymbols } from '../../clients/market-data-client';
import { createTtlCache } from '../../caches/ttl-cache';
import { jsonRepresentation } from '../../serving/http/representation';
import { toUtc } from '../../serving/meta/instant';
import { operationById } from '../../serving/openapi/operations';
import type { Proof, SymbolFinding } from './proof-checks';
import { type ProofDeps, runProofs } from './run-proofs';
import { dataAnswer, type OwnFields, serviceSource } from '../../serving/answers/data-answer';
import type { Handler } from '../../serving/answers/handler';
import type { Described } from '../../serving/openapi/described';

/** Minimum interval between runs of the checks. */
const CHECK_EVERY_MS = 60_000;

export interface ProofStatusDeps extends ProofDeps {
  readonly dataHealth: Pick<DataHealthWatch, 'current'>;
  readonly now: () => number;
}

function toSymbol({ symbol, passed, detail, fromMs, toMs, checkedTotal }: SymbolFinding): Described<'ProofFinding'> {
  const state = !passed ? 'failed' : checkedTotal === 0 ? 'not_checked' : 'passed';
  return {
    symbol,
    check_state: state,
    checked_total: checkedTotal,
    checked_from_utc: fromMs === null ? null : toUtc(fromMs),
    checked_to_utc: toMs === null ? null : toUtc(toMs),
    detail,
  };
}

/** `ready` if a reader can check it now. */
function toProof({ operationIds, ...proof }: Proof, checkedMs: number): Described<'Proof'> {
  const routes = operationIds.map(operationById);
  return {
    proof_id: proof.proofId,
    title: proof.title,
    claim: proof.claim,
    evidence_state: routes.length === 0 || (proof.checkState === 'not_checked' && proof.symbols.length > 0) ? 'held' : 'ready',
    check_state: proof.checkState,
    checked_at_utc: proof.checkState === 'not_checked' ? null : toUtc(proof.checkedMs ?? checkedMs),
    detail: proof.detail,
    own_check: proof.ownCheck,
    symbols: proof.symbols.map(toSymbol),
    route_access: routes.map(({ path, requiresApiKey, metered }) => ({
      route: path,
      access: requiresApiKey ? 'after_key' : 'pre_key',
      requires_api_key: requiresApiKey,
      metered,
    })),
  };
}

/** Available proofs and the result of checking them now. The preview covers delayed packets. */
export function getProofStatus(deps: ProofStatusDeps, preview = false): Handler<'getProofStatus'> {
  const { marketData, dataHealth, now } = deps;
  const cache = createTtlCache<Awaited<ReturnType<typeof check>>>({ ttlMs: CHECK_EVERY_MS, now });

  async function check() {
    const served = await servedSymbols(marketData);
    return { checkedMs: now(), served, proofs: await runProofs(deps, served) };
  }

  return async (call) => {
    const { checkedMs, served, proofs } = await cache.get('', check);
    const total = (state: string): number => proofs.filter(({ checkState }) => checkState === state).length;
    const failed = proofs.filter(({ checkState }) => checkState === 'failed').map(({ title }) => title);
    const fields: OwnFields<'ProofStatus'> = {
      status: failed.length > 0 ? 'failed' : 'ready',
      proof_total: proofs.length,
      passed_total: total('passed'),
      failed_total: failed.length,
      not_checked_total: total('not_checked'),
      proofs: proofs.map((proof) => toProof(proof, checkedMs)),
      public_preview_route: operationById('getDemoProof').path,
    };
    const remark =
      failed.length > 0
        ? `These do not hold: ${failed.join('; ')}.`
        : `${fields.passed_total} of ${fields.proof_total} proofs were checked at ${toUtc(checkedMs)} and hold.`;
    return jsonRepresentation(dataAnswer(call, { ...serviceSource(served, dataHealth, checkedMs), remark, preview }, fields));
  };
}
