import { type AlteredRow, verdictOf, type PacketDifference, type Rederivation, type Verification } from '@market-state/labeler';
import { EXIT, type ExitCode } from '../cli-error';
import { count, counted, instant } from '../io/instant';

export interface NamedVerification extends Verification {
  readonly symbol: string;
  readonly mustBeSigned: boolean;
}

export type Verdict = 'equal' | 'different' | 'incomplete';

export function verdict({ result, altered, otherChainUntilMs, mustBeSigned, awaitingMax }: NamedVerification): Verdict {
  const compared = result === null || altered.length > 0 ? 'different' : verdictOf(result, { mustBeSigned, awaitingMax });
  return compared === 'equal' && otherChainUntilMs !== null ? 'incomplete' : compared;
}

/** The worst verdict decides. */
export function exitCodeOf(verdicts: readonly Verdict[]): ExitCode {
  if (verdicts.includes('different')) return EXIT.different;
  return verdicts.includes('incomplete') ? EXIT.incomplete : EXIT.done;
}

const WORDS: Readonly<Record<Verdict, string>> = {
  equal: 'EQUAL: every recomputed packet matches, digest for digest',
  different: 'DIFFERENT: stored data does not match the log',
  incomplete: 'INCOMPLETE: part of the span could not be compared',
};

export function describe(verification: NamedVerification): readonly string[] {
  const { symbol, span, start, otherChainUntilMs, brokenStart, result, altered } = verification;
  const lines = [`${symbol}  ${WORDS[verdict(verification)]}`];
  const say = (title: string, text: string): void => void lines.push(`  ${title.padEnd(12)}${text}`);
  say('span', `windows ending from ${instant(span.fromMs)} until ${instant(span.toMs)}`);
  if (result === null) {
    say('checkpoint', `unusable: ${brokenStart ?? ''}`);
    return lines;
  }
  say(
    'start',
    start === null ? 'beginning of the log' : `checkpoint at ${instant(start.window_end_ms)}, after entry ${count(start.ordinal)}`,
  );
  if (otherChainUntilMs !== null) say('', 'packets up to there belong to the chain of another policy: not compared');
  say('entries', entriesText(result));
  for (const line of alteredLines(altered)) say('rows', line);
  for (const line of packetLines(result)) say('packets', line);
  say('checkpoints', checkpointsText(result));
  say('signatures', signaturesText(result));
  say('policy', result.policyDigest);
  if (result.packets.first !== null) lines.push(...differenceLines(result.packets.first));
  return lines;
}

function entriesText({ entries }: Rederivation): string {
  if (entries.total === 0) return 'none';
  const parts = [`${count(entries.total)} read, ${count(entries.firstOrdinal ?? 0)} to ${count(entries.lastOrdinal ?? 0)}`];
  if (entries.holes.length === 0) parts.push('none missing');
  for (const { firstOrdinal, lastOrdinal, newEpoch } of entries.holes.slice(0, 5)) {
    const places = firstOrdinal === lastOrdinal ? count(firstOrdinal) : `${count(firstOrdinal)} to ${count(lastOrdinal)}`;
    parts.push(`${places} ${newEpoch ? 'lost with the log, a new epoch follows' : 'MISSING'}`);
  }
  if (entries.holes.length > 5) parts.push(`${count(entries.holes.length - 5)} more ranges`);
  if (entries.repeatedTotal > 0) parts.push(`${count(entries.repeatedTotal)} skipped as duplicates`);
  return parts.join('; ');
}

const ALTERED_SHOWN = 5;

function alteredLines(altered: readonly AlteredRow[]): readonly string[] {
  if (altered.length === 0) return [];
  const places = altered
    .slice(0, ALTERED_SHOWN)
    .map(({ ordinal, windowEndMs }) => `entry ${count(ordinal)}, first read by the packet of ${instant(windowEndMs)}`);
  if (altered.length > ALTERED_SHOWN) places.push(`and ${count(altered.length - ALTERED_SHOWN)} more`);
  return [
    `${count(altered.length)} CHANGED after ${altered.length === 1 ? 'it was' : 'they were'} written: the served columns ` +
      `do not match the entry`,
    ...places,
  ];
}

function packetLines({ packets }: Rederivation): readonly string[] {
  if (Object.values(packets).every((total) => total === 0 || total === null))
    return ['none stored for this span, and none computed from the entries'];
  const lines = [`${count(packets.compared)} compared: ${count(packets.equal)} equal, ${count(packets.different)} different`];
  if (packets.missing > 0) lines.push(`${count(packets.missing)} computed but not stored`);
  if (packets.extra > 0) lines.push(`${count(packets.extra)} stored, but the log gives none for their windows`);
  if (packets.beforeEntries > 0)
    lines.push(`${count(packets.beforeEntries)} stored before the first window of the entries read: not compared`);
  if (packets.otherPolicy > 0)
    lines.push(`${count(packets.otherPolicy)} made under another policy: not compared (pass --policy to verify them)`);
  if (packets.awaiting > 0)
    lines.push(`${counted(packets.awaiting, 'newest packet')} not compared: the rows end before the entry that closes them`);
  if (packets.ahead > 0) lines.push(`${counted(packets.ahead, 'window')} computed after the newest stored packet`);
  if (packets.different > 0)
    lines.push(
      'each packet is recomputed from the stored one before it, so a difference does not spread along the chain, except through the ' +
        'history that the labeler keeps (medians, sessions, trailing means)',
    );
  return lines;
}

function checkpointsText({ checkpoints }: Rederivation): string {
  const parts = [`${count(checkpoints.equal)} reproduced`];
  for (const { windowEndMs, ordinal, fields } of checkpoints.different) {
    const what =
      fields.length === 0
        ? 'its entry is missing'
        : fields.map(({ field, retained, rederived }) => `${field} ${retained}, recomputed ${rederived}`).join(', ');
    parts.push(`DIFFERENT at ${instant(windowEndMs)}, after entry ${count(ordinal)}: ${what}`);
  }
  if (checkpoints.awaiting > 0) parts.push(`${count(checkpoints.awaiting)} beyond the last row`);
  return parts.join('; ');
}

function signaturesText({ signatures }: Rederivation): string {
  if (signatures === null) return 'not checked: no key given';
  const parts = [`${count(signatures.valid)} valid`];
  if (signatures.unsigned > 0) parts.push(`${counted(signatures.unsigned, 'packet')} unsigned`);
  if (signatures.invalid > 0) parts.push(`${count(signatures.invalid)} INVALID`);
  if (signatures.unknownKey > 0) parts.push(`${count(signatures.unknownKey)} with an UNKNOWN KEY`);
  if (signatures.firstFaultMs !== null) parts.push(`the first at ${instant(signatures.firstFaultMs)}`);
  return parts.join(', ');
}

/** Both digests, then the paths in the body with both values. */
function differenceLines(difference: PacketDifference): readonly string[] {
  const where = `the window ending at ${instant(difference.windowEndMs)}, ${difference.packetId}`;
  switch (difference.kind) {
    case 'missing':
      return ['', `  First difference: ${where}`, '    computed from the log, but not stored'];
    case 'extra':
      return ['', `  First difference: ${where}`, '    stored, but the log gives no packet for this window'];
    case 'different': {
      const { fields, body } = difference;
      const lines = ['', `  First difference: ${where}`];
      for (const { field, retained, rederived } of fields)
        lines.push(`    ${field.padEnd(24)}stored     ${retained}`, `    ${''.padEnd(24)}recomputed ${rederived}`);
      if (body.total > 0) lines.push(`    in the packet, ${counted(body.total, 'value')} differ${body.total === 1 ? 's' : ''}:`);
      for (const { path, retained, rederived } of body.first)
        lines.push(`      ${path}`, `        stored ${shown(retained)}, recomputed ${shown(rederived)}`);
      if (body.total > body.first.length) lines.push(`      and ${count(body.total - body.first.length)} more`);
      if (body.ownIdTotal > 0) lines.push(`      plus ${counted(body.ownIdTotal, 'value')} with the packet's own id`);
      return lines;
    }
  }
}

function shown(value: unknown): string {
  return value === undefined ? '(absent)' : JSON.stringify(value);
}
