import type { BookStream } from '../message-queue';

const DEPTH = /^\{"stream":"([^"@\\]{1,40})@(depth)@/;

/**
 * Changes of a book. If many wait, only the last is kept: the ids of the next one show that some are missing, and a new book is
 * requested.
 */
export function bookOf(text: string): BookStream | undefined {
  const [, name, stream] = DEPTH.exec(text.slice(0, 80)) ?? [];
  return name === undefined || stream === undefined ? undefined : { stream, instrument: name.toUpperCase() };
}

/** A stream's name at the venue. */
export function streamName(instrument: string, stream: string): string {
  return `${instrument.toLowerCase()}@${stream}`;
}

/**
 * A REST answer as a line among the messages: in the venue's envelope of combined streams, which names the instrument where the
 * answer does not. The answer stays as it was sent, but on one line.
 */
export function answerMessage(instrument: string, stream: string, answer: string): string {
  return `{"stream":${JSON.stringify(streamName(instrument, stream))},"data":${answer.replaceAll(/[\r\n]+/g, ' ')}}`;
}
