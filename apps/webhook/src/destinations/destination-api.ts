import type { SendResult } from '@market-state/guarded-http';
import { escape } from '@market-state/packet-figures';
import type { EndpointKind } from '../endpoints/destination';
import { type Markup, type Notice, writeText } from './notice';

interface Target {
  readonly endpointId: string;
  /** Public address; the whole address of an API, or the masked one of a hook. */
  readonly url: string;
  readonly chatId: string;
  /** Secret URL of a hook, token or key. */
  readonly credential: string;
}

interface ComposedRequest {
  readonly url: string;
  readonly body: object;
}

/** Meaning of an answer that is not a success. */
export interface Refusal {
  /** Plain sentence for the owner of the destination. */
  readonly explanation: string;
  /**
   * `message`: this message is refused and is not tried again. `destination`: nothing sent there is accepted any more.
   * Absent: worth another attempt.
   */
  readonly isFinal?: 'message' | 'destination';
  /** The destination accepts nothing before this time has passed. */
  readonly pauseMs?: number;
}

interface DestinationApi {
  compose(notices: readonly Notice[], target: Target): ComposedRequest;
  /** @param answer with a status other than 2xx */
  refusalOf(answer: SendResult): Refusal;
}

/** Fields of a JSON answer; empty unless it is an object. Answers longer than 1 KiB are cut and cannot be read. */
function fieldsOf({ snippet }: SendResult): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(snippet);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}

const PAUSE_MS = 30_000;

/** @param seconds from the answer's body; otherwise `Retry-After`, otherwise 30 s */
function rateLimited(service: string, { retryAfterSeconds }: SendResult, seconds?: unknown): Refusal {
  const wait = typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0 ? seconds : retryAfterSeconds;
  const pauseMs = wait === undefined ? PAUSE_MS : Math.ceil(wait * 1_000);
  return { explanation: `${service} accepts no more messages for ${Math.ceil(pauseMs / 1_000)} s (rate limit)`, pauseMs };
}

function unexpected(service: string, { status = 0 }: SendResult): Refusal {
  return { explanation: `${service} answered with status ${status}; the message is sent again later` };
}

/** https://docs.slack.dev/messaging/formatting-message-text; an escaped name cannot mention anyone. */
const SLACK_MRKDWN: Markup = {
  escape: (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  bold: (text) => `*${text.replaceAll('*', '∗')}*`,
  link: (label, url) => `<${url}|${label}>`,
  lengthMax: 4_000,
};

/** Answers in plain text, by https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks. */
const SLACK_GONE: Readonly<Record<string, string>> = {
  no_service: 'the incoming webhook was removed or disabled',
  no_active_hooks: 'the incoming webhook is disabled',
  no_team: 'the workspace no longer exists',
  team_disabled: 'the workspace is disabled',
  invalid_token: 'the incoming webhook is invalid',
  channel_not_found: 'the channel no longer exists',
  channel_is_archived: 'the channel is archived',
  action_prohibited: 'an administrator does not allow the webhook to post there',
  posting_to_general_channel_denied: 'the webhook may not post to the general channel',
};
const SLACK_GONE_STATUSES: ReadonlySet<number> = new Set([401, 403, 404, 410]);

/** Incoming webhooks of Slack. `text` alone is also shown by services that accept the same payload. */
const slack: DestinationApi = {
  compose: (notices, { credential }) => ({
    url: credential,
    body: { text: writeText(notices, SLACK_MRKDWN), unfurl_links: false, unfurl_media: false },
  }),
  refusalOf(answer) {
    const { status = 0, snippet } = answer;
    const code = snippet.trim();
    if (status === 429) return rateLimited('Slack', answer);
    if (SLACK_GONE[code] !== undefined || SLACK_GONE_STATUSES.has(status)) {
      const why = SLACK_GONE[code] ?? 'the address does not accept messages';
      return { explanation: `Slack refuses messages: ${why}${code in SLACK_GONE ? ` (${code})` : ''}`, isFinal: 'destination' };
    }
    if (status >= 400 && status < 500 && status !== 408)
      return { explanation: `Slack does not accept this message${code === '' ? '' : ` (${code.slice(0, 80)})`}`, isFinal: 'message' };
    return unexpected('Slack', answer);
  },
};

const DISCORD_MARKDOWN: Markup = {
  escape: (text) => text.replace(/[\\*_~`|>[\]()<#@]/g, String.raw`\$&`),
  bold: (text) => `**${text}**`,
  link: (label, url) => `[${label}](${url.replaceAll(')', '%29')})`,
  // Limit of an embed's description.
  lengthMax: 4_096,
};

const DISCORD_COLOURS: Readonly<Record<Notice['tone'], number>> = { triggered: 0xd9_36_3e, resolved: 0x2e_9e_5b, information: 0x5b_6b_7b };

/** JSON error codes of Discord. */
const UNKNOWN_WEBHOOK = 10_015;
const INVALID_WEBHOOK_TOKEN = 50_027;
const DISCORD_GONE_STATUSES: ReadonlySet<number> = new Set([401, 403, 404]);

/** Execute Webhook. `wait=true` makes Discord answer once the message is stored, with errors of storing it. */
const discord: DestinationApi = {
  compose(notices, { credential }) {
    const url = new URL(credential);
    url.searchParams.set('wait', 'true');
    const tone = notices.some((notice) => notice.tone === 'triggered') ? 'triggered' : (notices.at(-1)?.tone ?? 'information');
    const embed = { description: writeText(notices, DISCORD_MARKDOWN), color: DISCORD_COLOURS[tone] };
    return { url: url.href, body: { embeds: [embed], allowed_mentions: { parse: [] } } };
  },
  refusalOf(answer) {
    const { status = 0 } = answer;
    const { code, message, retry_after: retryAfter } = fieldsOf(answer);
    const why = typeof message === 'string' ? ` (${message.slice(0, 120)})` : '';
    if (status === 429) return rateLimited('Discord', answer, retryAfter);
    if (code === UNKNOWN_WEBHOOK || code === INVALID_WEBHOOK_TOKEN || DISCORD_GONE_STATUSES.has(status))
      return { explanation: `Discord refuses messages: the webhook was deleted or its address is wrong${why}`, isFinal: 'destination' };
    if (status >= 400 && status < 500 && status !== 408)
      return { explanation: `Discord does not accept this message${why}`, isFinal: 'message' };
    return unexpected('Discord', answer);
  },
};

const TELEGRAM_HTML: Markup = {
  escape,
  bold: (text) => `<b>${text}</b>`,
  link: (label, url) => `<a href="${escape(url)}">${label}</a>`,
  lengthMax: 4_096,
};

/** Descriptions of a 400 that concern the chat, not the message. */
const TELEGRAM_CHAT_GONE =
  /chat not found|chat_id is empty|group chat was upgraded|have no rights|not enough rights|user not found|peer_id_invalid/i;

/** `sendMessage` of the Bot API, or of a Bot API server of one's own. */
const telegram: DestinationApi = {
  compose: (notices, { url, credential, chatId }) => ({
    url: `${url.replace(/\/+$/, '')}/bot${credential}/sendMessage`,
    body: { chat_id: chatId, text: writeText(notices, TELEGRAM_HTML), parse_mode: 'HTML', link_preview_options: { is_disabled: true } },
  }),
  refusalOf(answer) {
    const { status = 0 } = answer;
    const { description = '', parameters } = fieldsOf(answer);
    const text = String(description).slice(0, 160);
    const { retry_after: retryAfter, migrate_to_chat_id: movedTo } = (parameters ?? {}) as Readonly<Record<string, unknown>>;
    if (status === 429) return rateLimited('Telegram', answer, retryAfter);
    if (movedTo !== undefined)
      return {
        explanation: `Telegram refuses messages: the group became a supergroup; change chat_id to ${String(movedTo)}`,
        isFinal: 'destination',
      };
    if (status === 401 || status === 404) return { explanation: `Telegram refuses the bot token (${text})`, isFinal: 'destination' };
    if (status === 403 || (status === 400 && TELEGRAM_CHAT_GONE.test(text)))
      return { explanation: `Telegram refuses messages to this chat (${text})`, isFinal: 'destination' };
    if (status === 400 || status === 413) return { explanation: `Telegram does not accept this message (${text})`, isFinal: 'message' };
    return unexpected('Telegram', answer);
  },
};

const PAGERDUTY_SUMMARY_LENGTH_MAX = 1_024;
const PAGERDUTY_SEVERITIES: Readonly<Record<string, string>> = {
  critical_context: 'critical',
  high_context: 'error',
  elevated_context: 'warning',
  routine_context: 'info',
};

/**
 * Events API v2. An alert opens an incident, and its recovery resolves it: both have the episode as `dedup_key`. Other
 * messages open an incident of severity `info` each.
 */
const pagerduty: DestinationApi = {
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
    return {
      url,
      body: { ...event, client: 'Market-State', ...(link && { client_url: link.url }), links, payload: pagerDutyPayload(notice) },
    };
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

function pagerDutyPayload({ title, facts, symbol, severityClass, tone, createdMs, eventKind, messageId }: Notice) {
  return {
    summary: title.slice(0, PAGERDUTY_SUMMARY_LENGTH_MAX),
    source: symbol === '' ? 'market-state' : symbol,
    severity: PAGERDUTY_SEVERITIES[severityClass] ?? (tone === 'triggered' ? 'warning' : 'info'),
    timestamp: new Date(createdMs).toISOString(),
    component: symbol === '' ? undefined : symbol,
    group: 'market-state',
    class: eventKind,
    custom_details: { ...Object.fromEntries(facts), message_id: messageId },
  };
}

export const DESTINATION_APIS: Readonly<Record<Exclude<EndpointKind, 'webhook' | 'email'>, DestinationApi>> = {
  slack,
  discord,
  telegram,
  pagerduty,
};
