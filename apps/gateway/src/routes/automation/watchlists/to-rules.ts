import type { webhook } from '@market-state/contracts';

/** A rule as a request has it. */
interface SentRule {
  readonly kind: string;
  readonly params?: object;
  readonly cooldown_seconds?: number;
  readonly min_consecutive?: number;
}

/** A rule for the webhook service, which checks its parameters. */
export function toRule({
  kind,
  params = {},
  cooldown_seconds: cooldown = 0,
  min_consecutive: consecutive = 1,
}: SentRule): webhook.RuleSpec {
  return { kind, params: { ...params }, cooldownSeconds: cooldown, minConsecutive: consecutive };
}
