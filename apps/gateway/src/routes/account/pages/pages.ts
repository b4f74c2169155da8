import { openApiDocument } from '../../../serving/openapi/document';
import { ACCOUNT_PAGE_FILES } from './page-files';

const { title: product } = openApiDocument.info;
const { script, style } = ACCOUNT_PAGE_FILES;

/** A page with its parts; addresses are relative, so that it works below a path too. `assets` leads to the folder of its files. */
export function page(name: string, title: string, content: string, assets = 'assets/'): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}: ${product}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assets}${style.name}">
<script type="module" src="${assets}${script.name}"></script>
</head>
<body data-page="${name}">
<header>${product}</header>
<main><div class="card">
${content}
<noscript><p class="wrong">This page needs its script, which comes from this server alone. Without it, send the token of the mail to the address that the mail names.</p></noscript>
</div></main>
</body>
</html>
`;
}

const NEW_PASSWORD = `<label for="password">Password</label>
<input id="password" type="password" autocomplete="new-password" minlength="12" maxlength="256" required>
<p class="hint">12 characters or more. Any characters will do, a few words for example.</p>
<label class="check"><input type="checkbox"> Show the password</label>`;

/** Where a form says what is wrong. */
export const WRONG = '<p class="wrong" role="alert" hidden></p>';

/** Opens an account: the link of a verification mail leads here, with its token. */
export const CLAIM_PAGE = page(
  'claim',
  'Open an account',
  `<div id="work">
<h1>Open your account</h1>
<p>A trial costs nothing and ends by itself: no card is asked for.</p>
<form id="claim" method="post">
<label for="email">Email</label>
<input id="email" type="email" autocomplete="username" maxlength="254" required>
${NEW_PASSWORD}
<button>Open account</button>
${WRONG}
</form>
<p id="other-ways" class="hint" hidden>A mailed link works once, for 24 hours: <a href="claim">ask for another</a>. If you have an account already, log in, or <a href="reset-password">choose a new password</a>.</p>
</div>
<div id="sent" tabindex="-1" hidden>
<h1>Look into your mail</h1>
<p>A mail is on its way to <strong id="sent-email"></strong>. Its link opens your account and works for 24 hours.</p>
<p class="hint">Nothing there after a few minutes? Look among unwanted mail, or <a href="claim">try again</a>.</p>
</div>
<div id="opened" tabindex="-1" hidden>
<h1>Your account is open</h1>
<p>You are logged in. Your plan: <strong id="plan"></strong>.</p>
<form id="make-key" method="post">
<p>Programs call the service with an API key.</p>
<button>Make an API key</button>
${WRONG}
</form>
<div id="key-part" hidden>
<h2>Your API key</h2>
<p>Copy it now: this is the only time that it is shown.</p>
<pre id="key"></pre>
<h2>Your first call</h2>
<pre id="call"></pre>
<p>Every other call is in the <a href="../docs">reference</a>.</p>
</div>
</div>`,
);

/** Sets a new password with the token of a reset mail; without one it asks for that mail. */
export const RESET_PASSWORD_PAGE = page(
  'reset',
  'Choose a new password',
  `<div id="work">
<div id="ask-part" hidden>
<h1>Forgot your password?</h1>
<p>We mail you a link with which you choose a new one.</p>
<form id="ask" method="post">
<label for="email">Email</label>
<input id="email" type="email" autocomplete="username" maxlength="254" required>
<button>Send the link</button>
${WRONG}
</form>
</div>
<div id="set-part" hidden>
<h1>Choose a new password</h1>
<form id="set" method="post">
<input type="text" autocomplete="username" hidden>
${NEW_PASSWORD}
<button>Set password</button>
${WRONG}
</form>
<p id="other-ways" class="hint" hidden>A link works once, for 30 minutes, and only the newest one works. <a href="reset-password">Ask for another</a>.</p>
</div>
</div>
<div id="asked" tabindex="-1" hidden>
<h1>Look into your mail</h1>
<p>If an account has this email, a mail with a link is on its way to it. The link works for 30 minutes.</p>
</div>
<div id="changed" tabindex="-1" hidden>
<h1>Your password is set</h1>
<p>Every session of the account has ended. Log in with the new password.</p>
<div id="keys-part" hidden>
<h2>API keys that no longer work</h2>
<p>They were made before it was known that this email is yours, so another may have made them. Programs of yours that use one need a new key.</p>
<ul id="keys"></ul>
</div>
<div id="accounts-part" hidden>
<h2>Accounts that are closed</h2>
<p>They were opened with those keys.</p>
<ul id="accounts"></ul>
</div>
</div>`,
);
