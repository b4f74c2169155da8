import { ExportResultCode } from '@opentelemetry/core';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';

/** From the first byte sent to the head of the answer. */
const ANSWER_MS_MAX = 3_000;

/**
 * Sends spans to a collector by OTLP over HTTP, each batch once: within its time, or not at all. Of the answer only the status is read;
 * what else a collector says, and however long it goes on, is not listened to.
 * @param url of the collector's traces
 */
export function createExporter(url: string): SpanExporter {
  async function send(spans: ReadableSpan[]): Promise<void> {
    const body = new TextDecoder().decode(JsonTraceSerializer.serializeRequest(spans));
    const headers = { 'content-type': 'application/json' };
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(new Error('the collector did not answer in time')), ANSWER_MS_MAX);
    try {
      const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'error', signal: over.signal });
      await answer.body?.cancel();
      if (!answer.ok) throw new Error(`the collector answered ${answer.status}`);
    } finally {
      clearTimeout(timer);
    }
  }
  return {
    export(spans, done) {
      send(spans).then(
        () => done({ code: ExportResultCode.SUCCESS }),
        (error: Error) => done({ code: ExportResultCode.FAILED, error }),
      );
    },
    async shutdown() {
      // Nothing is kept open.
    },
  };
}
