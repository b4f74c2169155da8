// A program of its own that makes calls with autocannon: one caller for each key, begun one after the other within a second, since
// autocannon makes the calls of a second as soon as it begins. Told once what to send; answers once with what came.
const autocannon = require('autocannon');

const ANSWER_S_MAX = 15;

process.once('message', ({ url, keys, perSecond, connections, seconds }) => {
  const statuses = {};
  const goodMs = [];

  function onResponse(_client, status, _bytes, ms) {
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status === 200) goodMs.push(ms);
  }

  function call(key, index) {
    const rate = perSecond === null ? undefined : Math.max(1, Math.round(perSecond / keys.length));
    const headers = { 'x-market-state-api-key': key };
    return new Promise((resolve, reject) => {
      setTimeout(
        () => {
          const order = {
            url,
            connections,
            duration: seconds,
            timeout: ANSWER_S_MAX,
            headers,
            ...(rate === undefined ? {} : { overallRate: rate }),
          };
          autocannon(order, (error, result) => (error ? reject(error) : resolve({ ...result, sent: sentOf(result, rate ?? 0) }))).on(
            'response',
            onResponse,
          );
        },
        (index * 1_000) / keys.length,
      );
    });
  }

  /** Of a connection with a rate, autocannon counts the calls of its first second as sent when it opens. */
  function sentOf({ requests, connections: opened }, rate) {
    return requests.sent - Math.max(0, rate - opened);
  }

  void Promise.all(keys.map(call)).then((results) => {
    const sumOf = (read) => results.reduce((sum, result) => sum + read(result), 0);
    const sent = sumOf((result) => result.sent);
    const answered = Object.values(statuses).reduce((sum, total) => sum + total, 0);
    // Those that are under way at the end, one a connection, are not waited for.
    const underWay = sumOf((result) => result.connections);
    const { user, system } = process.cpuUsage();
    process.send(
      {
        sent,
        seconds: Math.max(...results.map(({ duration }) => duration)),
        statuses,
        cpuMs: (user + system) / 1_000,
        goodMs: Float64Array.from(goodMs),
        failed: sumOf(({ errors }) => errors),
        unanswered: Math.max(0, sent - answered - underWay),
      },
      () => process.disconnect(),
    );
  });
});
