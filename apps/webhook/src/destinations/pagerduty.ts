import { type DestinationApi, fieldsOf, rateLimited, unexpected } from './destination-api';
import type { Notice } from './notice';

const SUMMARY_LENGTH_MAX = 1_024;
const SEVERITIES: Readonly<Record<string, string>> = {
  critical_context: 'critical',
  high_context: 'error',
  elevated_context: 'warning',
  routine_context: 'info',
};

/**
 * Events API v2. An alert opens an incident, and its recovery resolves it: both have the episode as `dedup_key`. Other
 * messages open an incident of severity `info` each.
 */
export const pagerduty: DestinationApi = {
  compose(notices, { url, credential }) {
    // A digest does not exist for this kind, so there is one notice.
    const [notice] = notices;
    if (notice === undefined) throw new RangeError('nothing to send');
    const { tone, episodeId, link } = notice;
    const event = {
      routing_key: credential,
      dedup_key: episodeId.slice(0, 255),
      event_action: tone === 'resolved' ? 'resolve' : 'trigger',
    };
    const links = link === undefined ? [] : [{ href: link.url, text: link.label }];
    return { url, body: { ...event, client: 'Market-State', ...(link && { client_url: link.url }), links, payload: payloadOf(notice) } };
  },
  refusalOf(answer) {
    const { status = 0 } = answer;
    const { message, errors } = fieldsOf(answer);
    const said = [message, ...(Array.isArray(errors) ? errors : [])].filter((part) => typeof part === 'string').join('; ');
    const why = said === '' ? '' : ` (${said.slice(0, 200)})`;
    if (status === 429) return rateLimited('PagerDuty', answer);
    if (/routing.?key/i.test(said) || status === 401 || status === 403 || status === 404)
      return { explanation: `PagerDuty refuses the routing key${why}`, isFinal: 'destination' };
    if (status === 400 || status === 413) return { explanation: `PagerDuty does not accept this event${why}`, isFinal: 'message' };
    return unexpected('PagerDuty', answer);
  },
};

function payloadOf({ title, facts, symbol, severityClass, tone, createdMs, eventKind, messageId }: Notice) {
  return {
    summary: title.slice(0, SUMMARY_LENGTH_MAX),
    source: symbol === '' ? 'market-state' : symbol,
    severity: SEVERITIES[severityClass] ?? (tone === 'triggered' ? 'warning' : 'info'),
    timestamp: new Date(createdMs).toISOString(),
    component: symbol === '' ? undefined : symbol,
    group: 'market-state',
    class: eventKind,
    custom_details: { ...Object.fromEntries(facts), message_id: messageId },
  };
}
