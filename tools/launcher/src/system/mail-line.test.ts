import { mailLine } from './mail-line';

test.each([
  ['without a mail server', {}, 'a file each in .data/outbox, password resets included (no mail server: set SMTP_URL and MAIL_FROM)'],
  ['into a folder of the operator', { OUTBOX_DIR: '/srv/mail' }, expect.stringContaining('a file each in /srv/mail,')],
  ['by a mail server', { SMTP_URL: 'smtp://user:secret@mail.example' }, 'sent by the mail server of SMTP_URL'],
  ['by a mail server whose URL is in a file', { SMTP_URL_FILE: '/smtp' }, 'sent by the mail server of SMTP_URL'],
])('the start says where mail goes: %s', (_where, settings, line) => {
  expect(mailLine(settings, '.data')).toEqual(line);
});
