/** What the billing page does, in the browser, with what the script of the account pages has: it shows what the API's own calls answer. */
export const BILLING_PAGE_SCRIPT = `
const asCount = (credits) => credits.toLocaleString('en-US');
const asDay = (utc) => utc.slice(0, 10);
const asDollars = (cents) => '$' + (cents / 100).toLocaleString('en-US', { minimumFractionDigits: 2 });
const periods = { in_all: 'in all', day: 'a day', month: 'a month' };
const kinds = { market_state: 'Market-state credits', export: 'Export credits' };

async function read(path) {
  try {
    const response = await fetch(api + path);
    return { status: response.status, answer: await response.json() };
  } catch {
    return { status: 0 };
  }
}

/** Terms and what they are, in a list; those without are left out. */
function tell(id, pairs) {
  const told = pairs.filter(([, text]) => text !== null);
  const part = (name, text) => Object.assign(document.createElement(name), { textContent: text });
  find(id).replaceChildren(...told.flatMap(([term, text]) => [part('dt', term), part('dd', text)]));
}

function showPlan({ plan, balances }) {
  const gives = ({ credits, credit_period: period }) => asCount(credits.market_state) + ' market-state and ' + asCount(credits.export) + ' export credits ' + periods[period];
  tell('plan', plan === null ? [['Plan', 'none']] : [
    ['Plan', plan.tier || plan.plan_id],
    ['Gives', gives(plan)],
    ['Gives again on', plan.renews_utc && asDay(plan.renews_utc)],
    ['Ends on', plan.ends_utc && asDay(plan.ends_utc)],
  ]);
  const inUse = ({ held, leased_to_gateways: leased }) => (held + leased > 0 ? ' (' + asCount(held + leased) + ' of them set aside for work under way)' : '');
  tell('credits', balances.map((one) => [kinds[one.credit_kind], asCount(one.available + one.held + one.leased_to_gateways) + inUse(one)]));
}

function showOrders(rows, order) {
  const text = ({ created_utc: at, plan_id: plan, amount_cents: cents, order_id: id }) => asDay(at) + ': ' + plan + ', ' + asDollars(cents) + (id === order ? ' (this order)' : '');
  find('orders').replaceChildren(...rows.map((row) => Object.assign(document.createElement('li'), { textContent: text(row) })));
  find('no-orders').hidden = rows.length > 0;
}

function showOrder(order, outcome, isBooked) {
  if (order === '') return;
  const words = {
    done: 'Thank you. Your payment is being booked: the plan changes within a minute.',
    cancelled: 'The checkout was left. Nothing was paid.',
    '': 'Your order is recorded. No payment is taken here: whoever runs this service approves the order, and then the plan changes.',
  };
  show('order', order);
  show('order-word', isBooked ? 'Your order is booked: what it gives is yours.' : words[outcome] || words['']);
  show('order-part');
}

async function showAccount(order, outcome) {
  const [me, invoices] = await Promise.all([read('me'), read('billing/invoices?limit=100')]);
  if (me.status === 401 || me.status === 403) return void show('log-in-part');
  if (me.status !== 200 || invoices.status !== 200) return void show('unreached', 'The service could not be reached. Load the page again in a moment.');
  showPlan(me.answer);
  showOrders(invoices.answer.rows, order);
  showOrder(order, outcome, invoices.answer.rows.some((row) => row.order_id === order));
  find('log-in-part').hidden = true;
  show('account-part');
}

if (page === 'billing') {
  const asked = new URLSearchParams(location.search);
  const [order, outcome] = [asked.get('order') || '', asked.get('checkout') || ''];
  showOrder(order, outcome, false);
  onSubmit('log-in', 'auth/login', () => ({ email: find('email').value, password: find('password').value }), () => showAccount(order, outcome));
  onSubmit('log-out', 'auth/logout', () => ({}), () => location.reload());
  showAccount(order, outcome);
}
`;
