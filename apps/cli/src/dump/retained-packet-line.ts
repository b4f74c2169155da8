import { canonicalJson, LineError, PACKET_ROW_SCHEMA, packetRowLine, readPacketRow, type RetainedPacket } from '@market-state/labeler';
import { incomplete } from '../cli-error';
import { instant } from '../io/instant';

/**
 * The line of a packet as it is kept. What its keeper does not tell is null, but the lineage before it stands in its body.
 * @throws CliError (incomplete) when a line cannot hold it, so that a file would tell of another packet than the one kept
 */
export async function retainedPacketLine(retained: RetainedPacket): Promise<string> {
  const text = await retained.readBody();
  const packet = objectOf(text);
  if (packet === undefined || canonicalJson(packet) !== text) throw noRow(retained, ['its body is not a JSON object in RFC 8785 form']);
  try {
    const row = readPacketRow({
      schema: PACKET_ROW_SCHEMA,
      symbol: retained.symbol,
      window_end_ms: retained.windowEndMs,
      packet_id: retained.packetId,
      event_id: retained.eventId,
      input_digest: retained.inputDigest,
      policy_digest: retained.policyDigest,
      previous_lineage_digest: retained.previousLineageDigest ?? packet['previous_lineage_digest'],
      packet_digest: retained.packetDigest,
      lineage_digest: retained.lineageDigest,
      source_kind: retained.sourceKind,
      closing_ordinal: retained.closingOrdinal,
      headline: retained.headline,
      customer_next_step: retained.customerNextStep,
      signature: retained.signature,
      signing_key_id: retained.signingKeyId,
      packet,
    });
    return packetRowLine(row);
  } catch (error) {
    if (error instanceof LineError) throw noRow(retained, error.faults);
    throw error;
  }
}

function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

function noRow({ symbol, windowEndMs, packetId }: RetainedPacket, faults: readonly string[]): Error {
  return incomplete(
    ...faults.map(
      (fault) =>
        `${symbol}: the packet retained for the window that ends at ${instant(windowEndMs)}, ${packetId}, is not a valid row: ${fault}.`,
    ),
    '"market-state verify" without files says more about it.',
  );
}
