/**
 * What the account pages do, in the browser: they send the API's own calls to this server. A token is read from behind the address's `#`,
 * which no server sees, and taken out of the address and the history at once; the tab keeps it for a reload until it is used or refused.
 * Texts go in as text, never as markup.
 */
export const ACCOUNT_PAGE_SCRIPT = `
const api = '../api/public/market-state/account/';
const page = document.body.dataset.page;
const link = takeLink();
const find = (id) => document.getElementById(id);
const show = (id, text) => { const node = find(id); if (text !== undefined) node.textContent = text; node.hidden = false; return node; };

/** Refusals in the words of who followed a link. */
const refusals = { claim_refused: 'No account can be opened with this link or email.', reset_refused: 'This link can no longer be used.' };

function list(id, texts) {
  find(id).replaceChildren(...texts.map((text) => Object.assign(document.createElement('li'), { textContent: text })));
  show(id + '-part');
}

/** What is behind the address's #, else what the tab keeps; a browser may refuse to keep anything. */
function takeLink() {
  const text = location.hash.slice(1);
  if (text !== '') history.replaceState(null, '', location.pathname);
  try {
    if (text !== '') sessionStorage.setItem(page, text);
    return new URLSearchParams(text || sessionStorage.getItem(page) || '');
  } catch {
    return new URLSearchParams(text);
  }
}

function forgetLink() {
  try {
    sessionStorage.removeItem(page);
  } catch {
    // Nothing was kept.
  }
}

function endWork() {
  forgetLink();
  find('work').hidden = true;
}

async function send(path, body) {
  try {
    const response = await fetch(api + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
    const answer = await response.json();
    return response.ok ? { answer } : { wrong: sentenceOf(response, answer), code: answer.code };
  } catch {
    return { wrong: 'The service could not be reached. Try again in a moment.' };
  }
}

function sentenceOf(response, { detail }) {
  if (!Array.isArray(detail)) return String(detail);
  const names = { new_password: 'Password', password: 'Password', email: 'Email' };
  return detail.map(({ loc, msg }) => (names[loc[loc.length - 1]] || loc[loc.length - 1]) + ' ' + msg + '.').join(' ');
}

/** Sends the form's call once at a time; \`done\` gets a good answer. */
function onSubmit(id, path, bodyOf, done) {
  const form = find(id);
  const button = form.querySelector('button');
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const wrong = form.querySelector('.wrong');
    wrong.hidden = true;
    button.disabled = true;
    const { answer, wrong: sentence, code } = await send(path, bodyOf());
    button.disabled = false;
    if (answer !== undefined) done(answer);
    else {
      wrong.textContent = refusals[code] || sentence;
      wrong.hidden = false;
      if (refusals[code] !== undefined) {
        forgetLink();
        show('other-ways');
      }
    }
  });
}

for (const box of document.querySelectorAll('.check input')) {
  box.addEventListener('change', () => { find('password').type = box.checked ? 'text' : 'password'; });
}

const pages = {
  claim() {
    const token = link.get('claim_token') || '';
    const email = find('email');
    if (token !== '') {
      email.value = link.get('email') || '';
      email.readOnly = email.value !== '';
    }
    onSubmit('claim', 'auth/claim', () => ({ email: email.value, password: find('password').value, claim_token: token }), (answer) => {
      endWork();
      if (answer.verification_sent) show('sent-email', email.value);
      else show('plan', answer.plan ? answer.plan.tier || answer.plan.plan_id : 'none');
      show(answer.verification_sent ? 'sent' : 'opened').focus();
    });
    onSubmit('make-key', 'keys', () => ({ name: 'first key', scopes: ['read', 'export'] }), ({ key }) => {
      find('make-key').hidden = true;
      find('key').textContent = key;
      find('call').textContent = "curl -H 'x-market-state-api-key: " + key + "' '" + new URL('../api/public/market-state/latest', location.href).href + "'";
      show('key-part');
    });
  },
  reset() {
    const token = link.get('reset_token') || '';
    show(token === '' ? 'ask-part' : 'set-part');
    onSubmit('ask', 'auth/password-reset/request', () => ({ email: find('email').value }), () => {
      endWork();
      show('asked').focus();
    });
    onSubmit('set', 'auth/password-reset/confirm', () => ({ reset_token: token, new_password: find('password').value }), ({ revoked_keys: keys, closed_accounts: accounts }) => {
      endWork();
      show('changed').focus();
      if (keys.length > 0) list('keys', keys.map(({ name, display }) => name + ' (' + display + ')'));
      if (accounts.length > 0) list('accounts', accounts);
    });
  },
};
pages[page]?.();
/** Another link in the same tab changes nothing but what is behind the #. */
addEventListener('hashchange', () => location.reload());
`.trimStart();
