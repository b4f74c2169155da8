import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { json } from 'node:stream/consumers';
import { makeAuthority, makeServiceCertificate } from '@market-state/certificates';
import { Ajv } from 'ajv';

const DAY_MS = 86_400_000;

export type ApiName = 'slack' | 'discord' | 'telegram' | 'pagerduty';

export const CREDENTIALS = {
  slack: '/services/T0123456/B0123456/slackslackslackslackslack',
  discord: '/api/webhooks/1094862910712345678/discord-discord_discord-discord-discord-discord',
  telegram: '123456789:telegramtelegramtelegramtelegram-AB',
  pagerduty: 'R0123456789abcdef0123456789abcde',
} as const;

/** Answer of an API, as it documents it. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | object;
}

/** Documented errors. Slack: plain text; Discord: JSON error codes; Telegram: `ok: false`; PagerDuty: `status` and `errors`. */
export const ERRORS = {
  slack: {
    rateLimited: (seconds: number): ApiAnswer => ({ status: 429, headers: { 'retry-after': String(seconds) }, body: 'rate_limited' }),
    invalidPayload: { status: 400, body: 'invalid_payload' },
    noService: { status: 404, body: 'no_service' },
    archived: { status: 410, body: 'channel_is_archived' },
    rollup: { status: 500, body: 'rollup_error' },
  },
  discord: {
    rateLimited: (seconds: number): ApiAnswer => ({
      status: 429,
      headers: { 'retry-after': String(Math.ceil(seconds)), 'x-ratelimit-scope': 'user' },
      body: { message: 'You are being rate limited.', retry_after: seconds, global: false },
    }),
    unknownWebhook: { status: 404, body: { message: 'Unknown Webhook', code: 10_015 } },
    emptyMessage: { status: 400, body: { message: 'Cannot send an empty message', code: 50_006 } },
  },
  telegram: {
    rateLimited: (seconds: number): ApiAnswer => ({
      status: 429,
      body: { ok: false, error_code: 429, description: `Too Many Requests: retry after ${seconds}`, parameters: { retry_after: seconds } },
    }),
    unauthorized: { status: 401, body: { ok: false, error_code: 401, description: 'Unauthorized' } },
    blocked: { status: 403, body: { ok: false, error_code: 403, description: 'Forbidden: bot was blocked by the user' } },
    noChat: { status: 400, body: { ok: false, error_code: 400, description: 'Bad Request: chat not found' } },
    migrated: {
      status: 400,
      body: {
        ok: false,
        error_code: 400,
        description: 'Bad Request: group chat was upgraded to a supergroup chat',
        parameters: { migrate_to_chat_id: -1_001_234_567_890 },
      },
    },
    cannotParse: { status: 400, body: { ok: false, error_code: 400, description: "Bad Request: can't parse entities" } },
  },
  pagerduty: {
    rateLimited: { status: 429, body: { status: 'throttle exceeded', message: 'Requests for this service are arriving too quickly.' } },
    invalidEvent: {
      status: 400,
      body: { status: 'invalid event', message: 'Event object is invalid', errors: ["'payload.severity' is invalid"] },
    },
    invalidKey: { status: 400, body: { status: 'invalid event', message: 'Event object is invalid', errors: ['Invalid routing key'] } },
    internal: { status: 500, body: { status: 'error', message: 'Internal Server Error' } },
  },
} as const;

/** Request bodies by the APIs' own documents: required members, types and limits. */
const SCHEMAS: Readonly<Record<ApiName, object>> = {
  slack: {
    type: 'object',
    required: ['text'],
    properties: {
      text: { type: 'string', minLength: 1, maxLength: 40_000 },
      unfurl_links: { type: 'boolean' },
      unfurl_media: { type: 'boolean' },
    },
    additionalProperties: false,
  },
  discord: {
    type: 'object',
    required: ['embeds'],
    properties: {
      embeds: {
        type: 'array',
        minItems: 1,
        maxItems: 10,
        items: {
          type: 'object',
          properties: {
            description: { type: 'string', minLength: 1, maxLength: 4_096 },
            color: { type: 'integer', minimum: 0, maximum: 0xff_ff_ff },
          },
          additionalProperties: false,
        },
      },
      allowed_mentions: { type: 'object', required: ['parse'], properties: { parse: { type: 'array', maxItems: 0 } } },
    },
    additionalProperties: false,
  },
  telegram: {
    type: 'object',
    required: ['chat_id', 'text'],
    properties: {
      chat_id: { type: 'string' },
      text: { type: 'string', minLength: 1, maxLength: 4_096 },
      parse_mode: { enum: ['HTML'] },
      link_preview_options: { type: 'object', properties: { is_disabled: { type: 'boolean' } }, additionalProperties: false },
    },
    additionalProperties: false,
  },
  pagerduty: {
    type: 'object',
    required: ['routing_key', 'event_action'],
    properties: {
      routing_key: { type: 'string', minLength: 32, maxLength: 32 },
      event_action: { enum: ['trigger', 'acknowledge', 'resolve'] },
      dedup_key: { type: 'string', maxLength: 255 },
      payload: {
        type: 'object',
        required: ['summary', 'source', 'severity'],
        properties: {
          summary: { type: 'string', minLength: 1, maxLength: 1_024 },
          source: { type: 'string', minLength: 1 },
          severity: { enum: ['critical', 'error', 'warning', 'info'] },
          timestamp: { type: 'string', pattern: String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{4})$` },
          component: { type: 'string' },
          group: { type: 'string' },
          class: { type: 'string' },
          custom_details: { type: 'object' },
        },
        additionalProperties: false,
      },
      client: { type: 'string' },
      client_url: { type: 'string' },
      links: {
        type: 'array',
        items: {
          type: 'object',
          required: ['href'],
          properties: { href: { type: 'string', pattern: '^https?://' }, text: { type: 'string' } },
        },
      },
    },
    additionalProperties: false,
  },
};

const SUCCESSES: Readonly<Record<ApiName, ApiAnswer>> = {
  slack: { status: 200, body: 'ok' },
  discord: { status: 200, body: { id: '1', type: 0, content: '', channel_id: '2' } },
  telegram: { status: 200, body: { ok: true, result: { message_id: 1, date: 1, chat: { id: 1, type: 'private' } } } },
  pagerduty: { status: 202, body: { status: 'success', message: 'Event processed', dedup_key: 'as sent' } },
};

export interface ApiRequest {
  readonly api: ApiName;
  readonly atMs: number;
  readonly body: Record<string, unknown>;
}

/** One server with the four APIs. Each checks its requests as documented and knows one credential. */
export async function startDestinationApis() {
  const validity = { fromMs: Date.now() - DAY_MS, toMs: Date.now() + DAY_MS };
  const authority = await makeAuthority('APIs', validity);
  const { certificate, key } = await makeServiceCertificate(authority, { name: 'localhost', ...validity });
  const ajv = new Ajv({ allErrors: true });
  const checks = Object.fromEntries(Object.entries(SCHEMAS).map(([api, schema]) => [api, ajv.compile(schema)]));
  const received: ApiRequest[] = [];
  const faults: string[] = [];
  const scripted = new Map<ApiName, ApiAnswer[]>();
  const server = createServer({ cert: certificate, key }, (request, response) => void serve(request, response));
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await json(request)) as Record<string, unknown>;
    const { status, headers = {}, body: answer } = answerTo(request.url ?? '', body);
    const isText = typeof answer === 'string';
    response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers });
    response.end(isText ? answer : JSON.stringify(answer));
  }

  function answerTo(path: string, body: Record<string, unknown>): ApiAnswer {
    const api = apiOf(path);
    if (api === undefined) return path.startsWith('/bot') ? ERRORS.telegram.unauthorized : ERRORS.discord.unknownWebhook;
    received.push({ api, atMs: performance.now(), body });
    const check = checks[api];
    if (check?.(body) !== true) {
      faults.push(`${api}: ${ajv.errorsText(check?.errors)}`);
      return {
        slack: ERRORS.slack.invalidPayload,
        discord: ERRORS.discord.emptyMessage,
        telegram: ERRORS.telegram.cannotParse,
        pagerduty: ERRORS.pagerduty.invalidEvent,
      }[api];
    }
    if (api === 'pagerduty' && body['routing_key'] !== CREDENTIALS.pagerduty) return ERRORS.pagerduty.invalidKey;
    return scripted.get(api)?.shift() ?? SUCCESSES[api];
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const origin = `https://localhost:${port}`;
  return {
    ca: authority.certificate,
    origin,
    received,
    /** Requests that an API would not accept. */
    faults,
    at: (api: ApiName) => received.filter((request) => request.api === api).map(({ body }) => body),
    /** The next answers of an API; it accepts messages after them. */
    script: (api: ApiName, ...answers: readonly ApiAnswer[]) => void scripted.set(api, [...answers]),
    set: () => origin,
    async reset(whileDown: () => Promise<void>) {
      await whileDown();
      received.length = 0;
      faults.length = 0;
      scripted.clear();
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function apiOf(path: string): ApiName | undefined {
  if (path === CREDENTIALS.slack || path.startsWith(`${CREDENTIALS.discord}/slack`)) return 'slack';
  if (path === `${CREDENTIALS.discord}?wait=true`) return 'discord';
  if (path === `/bot${CREDENTIALS.telegram}/sendMessage`) return 'telegram';
  return path === '/v2/enqueue' ? 'pagerduty' : undefined;
}
