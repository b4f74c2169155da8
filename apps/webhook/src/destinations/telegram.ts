import { escape } from '@market-state/packet-figures';
import { type DestinationApi, fieldsOf, rateLimited, unexpected } from './destination-api';
import { type Markup, writeText } from './write-text';

const HTML: Markup = {
  escape,
  bold: (text) => `<b>${text}</b>`,
  link: (label, url) => `<a href="${escape(url)}">${label}</a>`,
  lengthMax: 4_096,
};

/** Descriptions of a 400 that concern the chat, not the message. */
const CHAT_GONE =
  /chat not found|chat_id is empty|group chat was upgraded|have no rights|not enough rights|user not found|peer_id_invalid/i;

/** `sendMessage` of the Bot API, or of a Bot API server of one's own. */
export const telegram: DestinationApi = {
  compose: (notices, { url, credential, chatId }) => ({
    url: `${url.replace(/\/+$/, '')}/bot${credential}/sendMessage`,
    body: { chat_id: chatId, text: writeText(notices, HTML), parse_mode: 'HTML', link_preview_options: { is_disabled: true } },
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
    if (status === 403 || (status === 400 && CHAT_GONE.test(text)))
      return { explanation: `Telegram refuses messages to this chat (${text})`, isFinal: 'destination' };
    if (status === 400 || status === 413) return { explanation: `Telegram does not accept this message (${text})`, isFinal: 'message' };
    return unexpected('Telegram', answer);
  },
};
