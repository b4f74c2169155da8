import { resetMail } from './send-mail';

test('the link leads to the host of the settings, the token behind its #', () => {
  const token = 'T'.repeat(43);
  const { text } = resetMail('https://market-state.example/under/a/path', token);
  expect(text).toContain(`\nhttps://market-state.example/reset#reset_token=${token}\n`);
});
