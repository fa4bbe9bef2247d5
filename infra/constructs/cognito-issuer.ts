import { CfnOutput } from 'aws-cdk-lib';
import { FeaturePlan, Mfa, OAuthScope, ResourceServerScope, UserPool } from 'aws-cdk-lib/aws-cognito';
import { Duration, RemovalPolicy } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { StageSettings } from '../config.ts';
import { acknowledge } from './acknowledge.ts';

const MEANING = {
  read: 'See tools, plans and records',
  invoke: 'Call tools',
  write: 'Register and change tools',
} as const;

/**
 * A user pool that issues access tokens for this service, as ASSAY_ISSUERS takes it; none unless the stage asks for it.
 * Cognito registers no clients by itself, so one is made for all.
 */
export const cognitoIssuer = (
  scope: Construct,
  { cognito, domain }: Pick<StageSettings, 'cognito' | 'domain'>,
): readonly Readonly<Record<string, unknown>>[] => {
  if (cognito === undefined) return [];
  const address = cognito.address ?? (domain && `https://${domain.name}`);
  if (address === undefined)
    throw new Error('cognito needs the address of the service: set its `address`, or the domain of the stage');
  const pool = userPool(scope);
  // As an identifier the address becomes the audience of tokens (RFC 8707).
  const identifier = `${address}/mcp`;
  const scopes = Object.entries(MEANING).map(
    ([scopeName, scopeDescription]) => new ResourceServerScope({ scopeName, scopeDescription }),
  );
  const server = pool.addResourceServer('Service', {
    identifier,
    // Unlike identifiers, names take no address.
    userPoolResourceServerName: 'assay',
    scopes,
  });
  pool.addDomain('Login', { cognitoDomain: { domainPrefix: cognito.domainPrefix } });
  const client = pool.addClient('Everybody', {
    generateSecret: false,
    preventUserExistenceErrors: true,
    accessTokenValidity: Duration.minutes(5),
    oAuth: {
      flows: { authorizationCodeGrant: true },
      scopes: scopes.map((each) => OAuthScope.resourceServer(server, each)),
      callbackUrls: [...cognito.callbackUrls],
    },
  });
  new CfnOutput(scope, 'OAuthClient', { value: client.userPoolClientId });
  return [
    {
      issuer: pool.userPoolProviderUrl,
      audience: [identifier],
      algorithms: ['RS256'],
      claims: { token_use: 'access', client_id: client.userPoolClientId },
      tenant: cognito.tenant ?? 'default',
      scopes: {
        claim: 'scope',
        map: Object.fromEntries(Object.keys(MEANING).map((name) => [`${identifier}/${name}`, [name]])),
      },
      client_id: client.userPoolClientId,
    },
  ];
};

const userPool = (scope: Construct): UserPool => {
  const pool = new UserPool(scope, 'Users', {
    // Only from this plan on does a token name its audience.
    featurePlan: FeaturePlan.ESSENTIALS,
    selfSignUpEnabled: false,
    mfa: Mfa.OPTIONAL,
    mfaSecondFactor: { otp: true, sms: false },
    passwordPolicy: {
      minLength: 12,
      requireDigits: true,
      requireLowercase: true,
      requireUppercase: true,
      requireSymbols: true,
    },
    deletionProtection: true,
    removalPolicy: RemovalPolicy.RETAIN,
  });
  acknowledge(pool, {
    'AwsSolutions-COG2': 'whoever manages the pool decides about a second factor; it is offered',
    'AwsSolutions-COG3': 'threat protection needs the Plus plan, which is paid by user',
    'AwsSolutions-COG8': 'threat protection needs the Plus plan, which is paid by user',
  });
  return pool;
};
