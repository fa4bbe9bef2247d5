import { Duration } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
  type BehaviorOptions,
  CachePolicy,
  Distribution,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HeadersFrameOption,
  HeadersReferrerPolicy,
  HttpVersion,
  type IOrigin,
  LambdaEdgeEventType,
  OriginRequestPolicy,
  ResponseHeadersPolicy,
  SecurityPolicyProtocol,
  Function as ViewerFunction,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { FunctionUrlOrigin, S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import type { FunctionUrl, IVersion } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { StageSettings } from '../config.ts';
import { acknowledge } from './acknowledge.ts';

interface Props {
  readonly settings: StageSettings;
  readonly url: FunctionUrl;
  /** The secret that proves to the api that a request came through CloudFront, as a reference for CloudFormation. */
  readonly originSecret: string;
  readonly edge: IVersion;
  /** The bucket of the files published for the edge. */
  readonly published: { readonly bucket: string; readonly region: string };
  readonly site: IBucket;
  /** The bucket to which the console uploads pictures that are too large for the API. */
  readonly pictures: { readonly bucket: string; readonly region: string };
  readonly logs: IBucket;
  readonly firewallArn: string;
}

/** The one public address: the API through the edge function, everything else from the console's files. */
export class FrontDoor extends Construct {
  readonly distribution: Distribution;

  constructor(scope: Construct, id: string, props: Props) {
    super(scope, id);
    const { logs } = props;
    const { domain } = props.settings;
    const api = this.apiBehavior(props);
    const looked = {
      ...api,
      edgeLambdas: [{ eventType: LambdaEdgeEventType.ORIGIN_REQUEST, functionVersion: props.edge }],
    };
    this.distribution = new Distribution(this, 'Distribution', {
      comment: 'Assay',
      defaultRootObject: 'index.html',
      httpVersion: HttpVersion.HTTP2_AND_3,
      webAclId: props.firewallArn,
      enableLogging: true,
      logBucket: logs,
      logFilePrefix: 'cloudfront/',
      defaultBehavior: this.siteBehavior(props),
      additionalBehaviors: {
        // The first matching pattern applies: requests that the edge never answers bypass it.
        '/v1/tools/*/invoke': api,
        '/v1/*': looked,
        '/mcp': api,
        '/healthz': api,
        '/openapi.json': api,
        '/.well-known/*': api,
      },
      domainNames: domain && [domain.name],
      minimumProtocolVersion: domain && SecurityPolicyProtocol.TLS_V1_2_2021,
      certificate: domain && Certificate.fromCertificateArn(this, 'Certificate', domain.certificateArn),
    });
    acknowledge(this.distribution, {
      'AwsSolutions-CFR1': 'the service is for callers in all countries',
    });
    if (!domain)
      acknowledge(this.distribution, {
        'AwsSolutions-CFR4': 'without a domain of its own a distribution has CloudFront’s',
      });
  }

  /** Nothing is cached, so that each request is seen with its key, and no tenant gets another's answer. */
  private apiBehavior({ url, originSecret, published }: Props): BehaviorOptions {
    const origin: IOrigin = new FunctionUrlOrigin(url, {
      // The most without a larger quota; it also bounds the silence in a stream, where heartbeats come more often.
      readTimeout: Duration.seconds(120),
      keepaliveTimeout: Duration.seconds(60),
      customHeaders: {
        'x-assay-origin': originSecret,
        'x-assay-bucket': published.bucket,
        'x-assay-region': published.region,
      },
    });
    const host = viewerFunction(
      this,
      'ViewerHost',
      'Tells the api which host was asked for, and by which address',
      KEEP_HOST,
    );
    return {
      origin,
      allowedMethods: AllowedMethods.ALLOW_ALL,
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      functionAssociations: [{ eventType: FunctionEventType.VIEWER_REQUEST, function: host }],
    };
  }

  private siteBehavior({ site, pictures }: Props): BehaviorOptions {
    const pages = viewerFunction(this, 'SitePages', 'Sends the addresses of pages to the one page', TO_PAGE);
    return {
      origin: S3BucketOrigin.withOriginAccessControl(site),
      viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
      cachePolicy: CachePolicy.CACHING_OPTIMIZED,
      compress: true,
      responseHeadersPolicy: this.siteHeaders(pictures),
      functionAssociations: [{ eventType: FunctionEventType.VIEWER_REQUEST, function: pages }],
    };
  }

  private siteHeaders({ bucket, region }: Props['pictures']): ResponseHeadersPolicy {
    return new ResponseHeadersPolicy(this, 'SiteHeaders', {
      securityHeadersBehavior: {
        contentSecurityPolicy: {
          contentSecurityPolicy: `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self' https://${bucket}.s3.${region}.amazonaws.com; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
          override: true,
        },
        contentTypeOptions: { override: true },
        frameOptions: { frameOption: HeadersFrameOption.DENY, override: true },
        referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.NO_REFERRER, override: true },
        strictTransportSecurity: { accessControlMaxAge: Duration.days(365), includeSubdomains: true, override: true },
      },
    });
  }
}

const viewerFunction = (scope: Construct, id: string, comment: string, code: string): ViewerFunction =>
  new ViewerFunction(scope, id, { comment, runtime: FunctionRuntime.JS_2_0, code: FunctionCode.fromInline(code) });

// The function URL needs its own Host, so the viewer's is passed on in another header.
const KEEP_HOST = `function handler(event) {
  const request = event.request;
  request.headers['x-forwarded-host'] = { value: request.headers.host.value };
  request.headers['x-assay-viewer'] = { value: event.viewer.ip };
  return request;
}`;

const TO_PAGE = `function handler(event) {
  const request = event.request;
  if (!/\\.[a-z0-9]+$/.test(request.uri)) request.uri = '/index.html';
  return request;
}`;
