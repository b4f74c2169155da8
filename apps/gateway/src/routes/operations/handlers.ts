import type { RequestHandler } from 'express';
import { requestIdOf } from '../../serving/http/request-lifetime';
import { sendJson } from '../../serving/http/send';
import type { ReadinessReport } from './readiness';
import type { Described } from '../../serving/openapi/described';

/** The probes by operation id: whether the process runs, and whether it can serve. */
export function probeHandlers(readiness: () => Promise<ReadinessReport>): ReadonlyMap<string, RequestHandler> {
  const live: Described<'Liveness'> = { status: 'live' };
  const getLivez: RequestHandler = (req, res) => sendJson(res, requestIdOf(req), 200, live);
  const getReadyz: RequestHandler = async (req, res) => {
    const report = await readiness();
    sendJson(res, requestIdOf(req), report.status === 'ready' ? 200 : 503, report);
  };
  return new Map([
    ['getLivez', getLivez],
    ['getReadyz', getReadyz],
  ]);
}
