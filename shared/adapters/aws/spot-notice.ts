const HOST = 'http://169.254.169.254';
const TIMEOUT_MS = 1000;

/** Reads the Spot interruption notice of an EC2 instance from its metadata service; undefined when there is none. */
export const spotNotice =
  (send: typeof fetch = fetch, host = HOST) =>
  async (): Promise<string | undefined> => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const asked = await send(`${host}/latest/api/token`, {
      method: 'PUT',
      headers: { 'x-aws-ec2-metadata-token-ttl-seconds': '60' },
      signal,
    });
    if (!asked.ok) return undefined;
    const headers = { 'x-aws-ec2-metadata-token': await asked.text() };
    const answer = await send(`${host}/latest/meta-data/spot/instance-action`, { headers, signal });
    // 404 while there is no notice.
    return answer.status === 200 ? await answer.text() : undefined;
  };
