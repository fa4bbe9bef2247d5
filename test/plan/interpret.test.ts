import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTokenDesk } from '../../shared/plan/engine/tokens.ts';
import { interpret } from '../../shared/plan/interpret.ts';
import { named, output, play } from './engine-support.ts';

const task = { Type: 'Task', Resource: 'arn:aws:states:::lambda:invoke' };
const branch = (name: string, state: Readonly<Record<string, unknown>>) => ({
  StartAt: name,
  States: { [name]: { End: true, ...state } },
});

describe('interpreter: states and variables', () => {
  test('a task gets its Arguments and its result becomes the output', async () => {
    const played = await play(
      {
        a: {
          ...task,
          Arguments: { sum: '{% $states.input.x + 1 %}', as: 'it is' },
          Output: { got: '{% $states.result %}' },
          End: true,
        },
      },
      { input: { x: 1 }, task: (call) => ({ echo: call.arguments }) },
    );

    assert.deepEqual(output(played), { got: { echo: { sum: 2, as: 'it is' } } });
  });

  test('without Arguments a task gets the input, without Output its result is passed on', async () => {
    const played = await play(
      { a: { ...task, Next: 'b' }, b: { Type: 'Succeed' } },
      { input: { x: 1 }, task: ({ arguments: given }) => [given] },
    );

    assert.deepEqual(output(played), [{ x: 1 }]);
  });

  test('Assign and Output both see the variables as they were on entry', async () => {
    const played = await play({
      a: { Type: 'Pass', Assign: { v: 1 }, Next: 'b' },
      b: { Type: 'Pass', Assign: { v: '{% $v + 1 %}', w: '{% $v %}' }, Output: '{% $v %}', Next: 'c' },
      c: { Type: 'Succeed', Output: { out: '{% $states.input %}', v: '{% $v %}', w: '{% $w %}' } },
    });

    assert.deepEqual(output(played), { out: 1, v: 2, w: 1 });
  });

  test('branches read outer variables, and their own are invisible outside', async () => {
    const reads = { Type: 'Pass', Assign: { inner: '{% $outer & "!" %}' }, Next: 'r' };
    const played = await play({
      a: { Type: 'Pass', Assign: { outer: 'x' }, Next: 'p' },
      p: {
        Type: 'Parallel',
        Branches: [
          { StartAt: 'q', States: { q: reads, r: { Type: 'Succeed', Output: '{% $inner %}' } } },
          branch('s', { Type: 'Pass', Output: '{% $exists($inner) %}' }),
        ],
        Next: 'z',
      },
      z: { Type: 'Succeed', Output: ['{% $states.input %}', '{% $exists($inner) %}'] },
    });

    assert.deepEqual(output(played), [['x!', false], false]);
  });

  test('text in data that looks like an expression is not evaluated', async () => {
    const played = await play(
      { a: { Type: 'Pass', Output: '{% $states.input.x %}', End: true } },
      { input: { x: '{% 1 + 1 %}' } },
    );

    assert.equal(output(played), '{% 1 + 1 %}');
  });

  test('as recorded from AWS, only {% %} marks an expression, and a Pass has no retry count', async () => {
    const played = await play({
      a: {
        Type: 'Pass',
        Output: { text: ' {% $states.input %} ', path: '$.x', state: '{% $keys($states.context.State) %}' },
        End: true,
      },
    });

    assert.deepEqual(output(played), { text: ' {% $states.input %} ', path: '$.x', state: ['Name', 'EnteredTime'] });
  });

  test('an undefined expression is States.QueryEvaluationError, which a task can catch', async () => {
    const lost = await play({ a: { Type: 'Pass', Output: { x: '{% $states.input.nothing %}' }, End: true } });
    const caught = await play({
      a: {
        ...task,
        Arguments: '{% $nowhere.x %}',
        Catch: [{ ErrorEquals: ['States.ALL'], Next: 'b', Output: '{% $states.errorOutput.Error %}' }],
        End: true,
      },
      b: { Type: 'Succeed' },
    });

    assert.deepEqual(lost.outcome, {
      status: 'FAILED',
      error: 'States.QueryEvaluationError',
      cause: '{% $states.input.nothing %} has no value',
    });
    assert.equal(output(caught), 'States.QueryEvaluationError');
  });

  test('the context object has execution, state, retries and time', async () => {
    const played = await play(
      {
        a: {
          ...task,
          Arguments: [
            '{% $states.context.Execution.Name %}',
            '{% $states.context.Execution.Input.x %}',
            '{% $states.context.State.Name %}',
            '{% $states.context.State.RetryCount %}',
            '{% $states.context.State.EnteredTime %}',
          ],
          Retry: [{ ErrorEquals: ['Once'], IntervalSeconds: 5 }],
          End: true,
        },
      },
      {
        name: 'run-1',
        input: { x: 7 },
        task: (call) => {
          if (call.retryCount === 0) throw named('Once');
          return call.arguments;
        },
      },
    );

    assert.deepEqual(output(played), ['run-1', 7, 'a', 1, '2026-01-01T00:00:00.000Z']);
  });

  test('Choice takes the first true condition, else the default, else fails', async () => {
    const choice = (more: Readonly<Record<string, unknown>>) => ({
      a: {
        Type: 'Choice',
        Choices: [
          { Condition: '{% $states.input.n > 5 %}', Next: 'big', Output: 'large' },
          { Condition: '{% $states.input.n > 3 %}', Assign: { v: 1 }, Next: 'big' },
        ],
        ...more,
      },
      big: { Type: 'Succeed' },
    });
    const rest = { Default: 'big', Output: 'else', Assign: { v: 2 } };

    assert.equal(output(await play(choice(rest), { input: { n: 9 } })), 'large');
    assert.deepEqual(output(await play(choice(rest), { input: { n: 4 } })), { n: 4 });
    assert.equal(output(await play(choice(rest), { input: { n: 1 } })), 'else');
    assert.equal((await play(choice({}), { input: { n: 1 } })).outcome.status, 'FAILED');
    assert.match(JSON.stringify((await play(choice({}), { input: { n: 1 } })).outcome), /States.NoChoiceMatched/);
    assert.match(
      JSON.stringify(
        (await play({ a: { Type: 'Choice', Choices: [{ Condition: '{% 1 %}', Next: 'b' }] }, b: { Type: 'Succeed' } }))
          .outcome,
      ),
      /neither true nor false/,
    );
  });

  test('Wait takes seconds or a timestamp', async () => {
    const { time } = await play({
      a: { Type: 'Wait', Seconds: 90, Next: 'b' },
      b: { Type: 'Wait', Seconds: '{% 1 + 1 %}', Next: 'c' },
      c: { Type: 'Wait', Timestamp: '2026-01-01T01:00:00Z', End: true },
    });

    assert.deepEqual(time.slept, [90_000, 2000, 3_508_000]);
  });

  test('Fail ends with its Error and Cause', async () => {
    const { outcome } = await play({ a: { Type: 'Fail', Error: 'Mine', Cause: "{% 'because ' & 1 %}" } });

    assert.deepEqual(outcome, { status: 'FAILED', error: 'Mine', cause: 'because 1' });
  });

  test('Map runs items within MaxConcurrency and keeps their order', async () => {
    let running = 0;
    let most = 0;
    const played = await play(
      {
        m: {
          Type: 'Map',
          Items: '{% $states.input.list %}',
          ItemSelector: { at: '{% $states.context.Map.Item.Index %}', of: '{% $states.context.Map.Item.Value %}' },
          MaxConcurrency: 3,
          ItemProcessor: branch('t', { ...task }),
          End: true,
        },
      },
      {
        input: { list: [5, 4, 3, 2, 1] },
        task: async ({ arguments: given, signal }, time) => {
          most = Math.max(most, ++running);
          await time.sleep((given as { of: number }).of * 100, signal);
          running--;
          return given;
        },
      },
    );

    assert.deepEqual(
      output(played),
      [5, 4, 3, 2, 1].map((of, at) => ({ at, of })),
    );
    assert.equal(most, 3);
  });
});

describe('interpreter: failures', () => {
  test('R1.12 retries back off up to MaxDelaySeconds, with full jitter', async () => {
    const retry = (JitterStrategy: string) => ({
      a: {
        ...task,
        Retry: [
          {
            ErrorEquals: ['States.ALL'],
            IntervalSeconds: 2,
            MaxAttempts: 5,
            BackoffRate: 3,
            MaxDelaySeconds: 30,
            JitterStrategy,
          },
        ],
        End: true,
      },
    });
    const fails = () => {
      throw named('Oops');
    };

    const plain = await play(retry('NONE'), { task: fails });
    const jittered = await play(retry('FULL'), { task: fails, random: () => 0.25 });

    assert.deepEqual(plain.time.slept, [2000, 6000, 18_000, 30_000, 30_000]);
    assert.deepEqual(jittered.time.slept, [500, 1500, 4500, 7500, 7500]);
    assert.equal(plain.calls.length, 6);
    assert.deepEqual(plain.outcome, { status: 'FAILED', error: 'Oops', cause: 'it failed' });
  });

  test('each retrier counts its own attempts, and MaxAttempts 0 means none', async () => {
    const errors = ['A', 'B', 'A', 'B', 'A'];
    const played = await play(
      {
        a: {
          ...task,
          Retry: [
            { ErrorEquals: ['Never'], MaxAttempts: 0 },
            { ErrorEquals: ['A'], MaxAttempts: 2 },
            { ErrorEquals: ['States.ALL'], MaxAttempts: 2 },
          ],
          End: true,
        },
      },
      {
        task: ({ retryCount }) => {
          throw named(errors[retryCount] ?? 'C');
        },
      },
    );
    const never = await play(
      {
        a: { ...task, Retry: [{ ErrorEquals: ['Never'], MaxAttempts: 0 }, { ErrorEquals: ['States.ALL'] }], End: true },
      },
      {
        task: () => {
          throw named('Never');
        },
      },
    );

    assert.equal(played.calls.length, 5);
    assert.equal(never.calls.length, 1);
  });

  test("Catch follows the retries, with Error and Cause, and its own Assign instead of the state's", async () => {
    const played = await play(
      {
        a: {
          ...task,
          Assign: { v: 'state' },
          Catch: [
            { ErrorEquals: ['Other'], Next: 'c' },
            { ErrorEquals: ['Oops'], Assign: { v: '{% $states.errorOutput.Cause %}' }, Next: 'b' },
          ],
          Next: 'c',
        },
        b: { Type: 'Succeed', Output: ['{% $v %}', '{% $states.input %}'] },
        c: { Type: 'Fail' },
      },
      {
        task: () => {
          throw named('Oops', 'bad luck');
        },
      },
    );

    assert.deepEqual(output(played), ['bad luck', { Error: 'Oops', Cause: 'bad luck' }]);
  });

  test('States.TaskFailed matches everything but a timeout, States.ALL all but States.DataLimitExceeded', async () => {
    const caught = (names: readonly string[]) => ({
      a: { ...task, TimeoutSeconds: 1, Catch: [{ ErrorEquals: names, Next: 'b', Output: 'caught' }], End: true },
      b: { Type: 'Succeed' },
    });
    const slow = () => new Promise(() => {});
    const big = () => 'x'.repeat(300_000);
    const fails = () => {
      throw named('Oops');
    };

    assert.equal(output(await play(caught(['States.TaskFailed']), { task: fails })), 'caught');
    assert.match(JSON.stringify((await play(caught(['States.TaskFailed']), { task: slow })).outcome), /States.Timeout/);
    assert.equal(output(await play(caught(['States.ALL']), { task: slow })), 'caught');
    assert.match(
      JSON.stringify((await play(caught(['States.ALL']), { task: big })).outcome),
      /States.DataLimitExceeded/,
    );
  });

  test('a state that times out is cancelled, and so is its task', async () => {
    const played = await play(
      { a: { ...task, TimeoutSeconds: '{% 2 + 1 %}', End: true } },
      { task: () => new Promise(() => {}) },
    );

    assert.deepEqual(played.outcome, { status: 'FAILED', error: 'States.Timeout', cause: 'a took longer than 3 s' });
    assert.equal(played.calls[0]?.signal.aborted, true);
  });

  for (const seconds of ['{% -1 %}', '{% 0 %}', "{% '5' %}"]) {
    test(`TimeoutSeconds ${seconds} is States.QueryEvaluationError`, async () => {
      const { outcome } = await play({ a: { ...task, TimeoutSeconds: seconds, End: true } });
      assert.match(JSON.stringify(outcome), /States.QueryEvaluationError.*TimeoutSeconds of a/);
    });
  }

  test('a failing branch fails the Parallel with its own error and cancels the other branches', async () => {
    const played = await play(
      {
        p: {
          Type: 'Parallel',
          Branches: [
            branch('bad', { ...task, Arguments: 'bad' }),
            {
              StartAt: 'slow',
              States: { slow: { ...task, Arguments: 'slow', Next: 'later' }, later: { ...task, End: true } },
            },
          ],
          Catch: [{ ErrorEquals: ['States.ALL'], Next: 'z' }],
          End: true,
        },
        z: { Type: 'Wait', Seconds: 100, End: true },
      },
      {
        task: async ({ arguments: which, signal }, time) => {
          await time.sleep(which === 'bad' ? 10 : 50, new AbortController().signal);
          if (which === 'bad') throw named('FailureType', 'why');
          return signal.aborted;
        },
      },
    );

    assert.deepEqual(output(played), { Error: 'FailureType', Cause: 'why' });
    assert.deepEqual(
      played.calls.map((call) => call.state),
      ['bad', 'slow'],
    );
    assert.equal(played.calls[1]?.signal.aborted, true);
  });

  test('a Parallel retries all of its branches', async () => {
    let failures = 0;
    const played = await play(
      {
        p: {
          Type: 'Parallel',
          Branches: [branch('a', task), branch('b', task)],
          Retry: [{ ErrorEquals: ['Oops'], MaxAttempts: 1 }],
          End: true,
        },
      },
      {
        task: ({ state }) => {
          if (state === 'b' && failures++ === 0) throw named('Oops');
          return state;
        },
      },
    );

    assert.deepEqual(output(played), ['a', 'b']);
    assert.deepEqual(
      played.calls.map(({ state }) => state),
      ['a', 'b', 'a', 'b'],
    );
  });

  test('aborting from outside ends the execution at once', async () => {
    const controller = new AbortController();
    const played = await play(
      { a: { ...task, Catch: [{ ErrorEquals: ['States.ALL'], Next: 'b' }], Next: 'b' }, b: { ...task, End: true } },
      {
        signal: controller.signal,
        task: () => {
          controller.abort();
          return new Promise(() => {});
        },
      },
    );

    assert.equal(played.outcome.status, 'ABORTED');
    assert.equal(played.calls.length, 1);
  });

  test('the state machine’s TimeoutSeconds ends it as timed out', async () => {
    const { outcome } = await play(
      { a: { Type: 'Wait', Seconds: 100, End: true } },
      { machine: { TimeoutSeconds: 10 } },
    );

    assert.deepEqual(outcome, {
      status: 'TIMED_OUT',
      error: 'States.Timeout',
      cause: 'the execution took longer than 10 s',
    });
  });

  test('input, output, arguments and variables are limited to 256 KiB', async () => {
    const big = 'x'.repeat(262_143);
    const exceeded = /States.DataLimitExceeded/;

    assert.match(JSON.stringify((await play({ a: { Type: 'Succeed' } }, { input: big })).outcome), exceeded);
    assert.equal((await play({ a: { Type: 'Succeed' } }, { input: big.slice(1) })).outcome.status, 'SUCCEEDED');
    assert.match(
      JSON.stringify(
        (await play({ a: { Type: 'Pass', Output: ['{% $states.input %}'], End: true } }, { input: big.slice(1) }))
          .outcome,
      ),
      exceeded,
    );
    assert.match(
      JSON.stringify(
        (await play({ a: { ...task, Arguments: ['{% $states.input %}'], End: true } }, { input: big.slice(1) }))
          .outcome,
      ),
      exceeded,
    );
    assert.match(
      JSON.stringify(
        (
          await play(
            { a: { Type: 'Pass', Assign: { v: ['{% $states.input %}'] }, End: true } },
            { input: big.slice(1) },
          )
        ).outcome,
      ),
      exceeded,
    );
    assert.match(
      JSON.stringify((await play({ a: { Type: 'Succeed' } }, { input: '字'.repeat(90_000) })).outcome),
      exceeded,
    );
  });
});

describe('interpreter: task tokens', () => {
  const ask = {
    ...task,
    Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
    Arguments: { token: '{% $states.context.Task.Token %}' },
    TimeoutSeconds: 60,
    End: true,
  };
  const desk = () => createTokenDesk(() => 'secret');

  test('a state waits until its task token succeeds', async () => {
    const tokens = desk();
    const played = await play(
      { a: ask },
      {
        tokens,
        task: ({ arguments: given }) => {
          assert.deepEqual(given, { token: 'secret' });
          tokens.succeed('secret', { by: 'me' });
        },
      },
    );

    assert.deepEqual(output(played), { by: 'me' });
  });

  test('a failed task token fails its state with the given error', async () => {
    const tokens = desk();
    const { outcome } = await play(
      { a: ask },
      {
        tokens,
        task: async (call, time) => {
          await time.sleep(500, call.signal);
          tokens.fail('secret', 'ApprovalDenied', 'no');
        },
      },
    );

    assert.deepEqual(outcome, { status: 'FAILED', error: 'ApprovalDenied', cause: 'no' });
  });

  test('a task token without an answer times out, and is invalid afterwards', async () => {
    const tokens = desk();
    const { outcome } = await play({ a: ask }, { tokens });

    assert.match(JSON.stringify(outcome), /States.Timeout/);
    assert.throws(() => tokens.succeed('secret', {}), { name: 'NotFound' });
  });

  test('heartbeats keep a task token alive, and without them it times out', async () => {
    const tokens = desk();
    const beats = async (
      count: number,
      call: { signal: AbortSignal },
      sleep: (ms: number, signal: AbortSignal) => Promise<void>,
    ) => {
      for (let beat = 0; beat < count; beat++) {
        await sleep(4000, call.signal);
        tokens.heartbeat('secret');
      }
      await sleep(4000, call.signal);
      tokens.succeed('secret', 'done');
    };
    const alive = await play(
      { a: { ...ask, HeartbeatSeconds: 5 } },
      { tokens, task: (call, time) => beats(5, call, time.sleep) },
    );
    const dead = await play({ a: { ...ask, HeartbeatSeconds: 5 } }, { tokens });

    assert.equal(output(alive), 'done');
    assert.match(JSON.stringify(dead.outcome), /States.HeartbeatTimeout/);
  });

  test('a state that needs a task token cannot run without a token desk', async () => {
    assert.match(JSON.stringify((await play({ a: ask })).outcome), /States.Runtime/);
  });
});

describe('intrinsic functions of Step Functions', () => {
  const evaluate = async (expression: string, input: unknown = {}) =>
    output(await play({ a: { Type: 'Pass', Output: `{% ${expression} %}`, End: true } }, { input }));

  test('$partition, $range, $hash, $uuid, $parse and $random return what AWS returns', async () => {
    assert.deepEqual(await evaluate('$partition([1, 2, 3, 4, 5], 2)'), [[1, 2], [3, 4], [5]]);
    assert.deepEqual(await evaluate('$range(0, 10, 5)'), [0, 5, 10]);
    assert.deepEqual(await evaluate('$range(3, 1, -1)'), [3, 2, 1]);
    assert.equal(
      await evaluate("$hash('abc', 'SHA-256')"),
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
    assert.match(
      String(await evaluate('$uuid()')),
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    assert.deepEqual(await evaluate('$parse($states.input)', '{"a": [1]}'), { a: [1] });
    assert.equal(await evaluate('$random()'), 0.5);
    assert.equal(await evaluate('$random(42)'), await evaluate('$random(42)'));
  });

  test("$now and $millis use the engine's clock", async () => {
    assert.equal(await evaluate('$now()'), '2026-01-01T00:00:00.000Z');
    assert.equal(await evaluate('$millis()'), Date.UTC(2026, 0, 1));
    assert.equal(await evaluate("$now('[Y]')"), '2026');
  });

  test('wrong use of an intrinsic function is States.QueryEvaluationError', async () => {
    for (const wrong of [
      "$eval('1')",
      '$range(0, 1, 0)',
      '$range(0, 9999, 1)',
      "$hash('a', 'CRC')",
      "$parse('{')",
      '$partition([1], 0)',
      '$error("x")',
    ])
      assert.match(JSON.stringify(await evaluate(wrong)), /QueryEvaluationError/, wrong);
  });
});

describe('invalid definitions', () => {
  test('an expression that does not parse is refused before anything runs', async () => {
    const definition = {
      QueryLanguage: 'JSONata',
      StartAt: 'a',
      States: { a: { Type: 'Pass', Output: '{% 1 + %}', End: true } },
    };
    await assert.rejects(
      interpret(definition, {}, { now: () => 0, sleep: async () => {}, random: () => 0, task: async () => 0 }),
      { name: 'InvalidInput', message: /is not a JSONata expression/ },
    );
  });
});
