import { type DestinationApi, rateLimited, unexpected } from './destination-api';
import { type Markup, writeText } from './write-text';

/** https://docs.slack.dev/messaging/formatting-message-text; an escaped name cannot mention anyone. */
const MRKDWN: Markup = {
  escape: (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  bold: (text) => `*${text.replaceAll('*', '∗')}*`,
  link: (label, url) => `<${url}|${label}>`,
  lengthMax: 4_000,
};

/** Answers in plain text, by https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks. */
const GONE: Readonly<Record<string, string>> = {
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
const GONE_STATUSES: ReadonlySet<number> = new Set([401, 403, 404, 410]);

/** Incoming webhooks of Slack. `text` alone is also shown by services that accept the same payload. */
export const slack: DestinationApi = {
  compose: (notices, { credential }) => ({
    url: credential,
    body: { text: writeText(notices, MRKDWN), unfurl_links: false, unfurl_media: false },
  }),
  refusalOf(answer) {
    const { status = 0, snippet } = answer;
    const code = snippet.trim();
    if (status === 429) return rateLimited('Slack', answer);
    if (GONE[code] !== undefined || GONE_STATUSES.has(status)) {
      const why = GONE[code] ?? 'the address does not accept messages';
      return { explanation: `Slack refuses messages: ${why}${code in GONE ? ` (${code})` : ''}`, isFinal: 'destination' };
    }
    if (status >= 400 && status < 500 && status !== 408)
      return { explanation: `Slack does not accept this message${code === '' ? '' : ` (${code.slice(0, 80)})`}`, isFinal: 'message' };
    return unexpected('Slack', answer);
  },
};
