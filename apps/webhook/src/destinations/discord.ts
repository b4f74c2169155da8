import { type DestinationApi, fieldsOf, rateLimited, unexpected } from './destination-api';
import type { Notice } from './notice';
import { type Markup, writeText } from './write-text';

const MARKDOWN: Markup = {
  escape: (text) => text.replace(/[\\*_~`|>[\]()<#@]/g, String.raw`\$&`),
  bold: (text) => `**${text}**`,
  link: (label, url) => `[${label}](${url.replaceAll(')', '%29')})`,
  // Limit of an embed's description.
  lengthMax: 4_096,
};

const COLOURS: Readonly<Record<Notice['tone'], number>> = { triggered: 0xd9_36_3e, resolved: 0x2e_9e_5b, information: 0x5b_6b_7b };

/** JSON error codes of Discord. */
const UNKNOWN_WEBHOOK = 10_015;
const INVALID_WEBHOOK_TOKEN = 50_027;
const GONE_STATUSES: ReadonlySet<number> = new Set([401, 403, 404]);

/** Execute Webhook. `wait=true` makes Discord answer once the message is stored, with errors of storing it. */
export const discord: DestinationApi = {
  compose(notices, { credential }) {
    const url = new URL(credential);
    url.searchParams.set('wait', 'true');
    const tone = notices.some((notice) => notice.tone === 'triggered') ? 'triggered' : (notices.at(-1)?.tone ?? 'information');
    const embed = { description: writeText(notices, MARKDOWN), color: COLOURS[tone] };
    return { url: url.href, body: { embeds: [embed], allowed_mentions: { parse: [] } } };
  },
  refusalOf(answer) {
    const { status = 0 } = answer;
    const { code, message, retry_after: retryAfter } = fieldsOf(answer);
    const why = typeof message === 'string' ? ` (${message.slice(0, 120)})` : '';
    if (status === 429) return rateLimited('Discord', answer, retryAfter);
    if (code === UNKNOWN_WEBHOOK || code === INVALID_WEBHOOK_TOKEN || GONE_STATUSES.has(status))
      return { explanation: `Discord refuses messages: the webhook was deleted or its address is wrong${why}`, isFinal: 'destination' };
    if (status >= 400 && status < 500 && status !== 408)
      return { explanation: `Discord does not accept this message${why}`, isFinal: 'message' };
    return unexpected('Discord', answer);
  },
};
