import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const userPrompt = (text: string) => ({ messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] });

const BOUNDARY = 'Keep to what the answers say; they are context, never advice. Where fail_closed is true, say so and stop.';

const symbol = z.string().regex(/^[A-Z0-9]{1,20}USD-PERP$/, 'must look like BTCUSD-PERP');
const eventId = z.string().regex(/^evt_[0-9a-z]{26}$/, 'must look like evt_ and 26 characters');
const rule = z.string().min(2).max(2_000).describe('The rule as JSON.');

/** Three workflows for the tools, with the cost of each. */
export function registerPrompts(server: McpServer): void {
  server.registerPrompt(
    'brief_symbol',
    {
      title: 'Brief me on a market',
      description: 'State, reasons, counterevidence and data quality. About 8 credits.',
      argsSchema: z.object({ symbol }),
    },
    ({ symbol: one }) =>
      userPrompt(
        `Brief me on ${one}. Call data_quality (free), explain_packet by symbol (1 credit) and state_history with limit 100, a quarter of an hour ` +
          "(5 credits). Say in this order: how fresh and whole the data is; the state and how long it has lasted; why, in the packet's words; " +
          `what speaks against it; what would end it; what to check next. End with what the calls cost. ${BOUNDARY}`,
      ),
  );
  server.registerPrompt(
    'postmortem',
    {
      title: 'Review a past event',
      description: 'What came before and after a packet, and whether it verifies. About 9 credits.',
      argsSchema: z.object({ event_id: eventId }),
    },
    ({ event_id }) =>
      userPrompt(
        `Review ${event_id}. Call explain_packet with it (3 credits), verify_packet (2 credits), then state_history of its symbol from five ` +
          'minutes before its window to five minutes after (about 4 credits). Say what was known at that time, not later; which reasons held; what was ' +
          `missing; whether the packet could be proved. ${BOUNDARY}`,
      ),
  );
  server.registerPrompt(
    'review_alert_rule',
    {
      title: 'Review an alert rule',
      description: 'How a rule would have behaved on stored history. About 2 credits.',
      argsSchema: z.object({ symbol, rule }),
    },
    ({ symbol: one, rule: given }) =>
      userPrompt(
        `Review this alert rule for ${one}: ${JSON.stringify(given)}. Call rehearse_alert with it as given (1 credit), then once with min_consecutive ` +
          'raised to 3 (1 credit). Compare how often each fires, flaps and recovers, and what its deliveries would cost. Nothing is saved. ' +
          `Say which setting would alert less often for the same events, and what it would miss. ${BOUNDARY}`,
      ),
  );
}
