import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

interface Mail {
  readonly to: string;
  readonly source: string;
}

type Command = 'MAIL FROM' | 'RCPT TO' | 'DATA';

/** A mail server that keeps what it accepts. */
export async function startMailServer() {
  const mails: Mail[] = [];
  /** Next replies to these commands; then mails are accepted. */
  const replies: { readonly at: Command; readonly code: number }[] = [];

  function refusal(at: Command): Error | null {
    if (replies[0]?.at !== at) return null;
    return Object.assign(new Error(`${replies[0].code === 550 ? 'no such user' : 'try later'}`), { responseCode: replies.shift()?.code });
  }

  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onMailFrom: (_address, _session, done) => done(refusal('MAIL FROM')),
    onRcptTo: (_address, _session, done) => done(refusal('RCPT TO')),
    onData(stream, session, done) {
      void text(stream).then((source) => {
        const refused = refusal('DATA');
        if (refused === null) mails.push({ to: session.envelope.rcptTo[0]?.address ?? '', source: source.replaceAll('\r\n', '\n') });
        done(refused);
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    smtpUrl: `smtp://127.0.0.1:${port}`,
    mails,
    replies,
    reset() {
      mails.length = 0;
      replies.length = 0;
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

export type MailServer = Awaited<ReturnType<typeof startMailServer>>;
