import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);
import{c as b,f as k}from"./chunk-2KR462AU.mjs";import{a as p}from"./chunk-F3WO5ZYR.mjs";import{K as y,L as h,S as w,T as O,U as $,V as x}from"./chunk-RLQV2AJW.mjs";import{d as S}from"./chunk-NBB3PYWW.mjs";import{H as l}from"./chunk-XZ6CNCAT.mjs";import{f as R}from"./chunk-GRW72X7C.mjs";import{a as g}from"./chunk-VFL3VHQN.mjs";import{a as i}from"./chunk-J4GWMTJ2.mjs";import{mkdir as W,writeFile as f}from"node:fs/promises";import{join as a}from"node:path";function j(r,t){let n=r.map(({plan:o})=>o.shard?.index),s=t.map(({index:o})=>o).filter(o=>!n.includes(o)),e=p(r),m=e?y({...e,missing:s},t):h({missing:s,of:t.length},t);if(r.length===0)return[m];let c=r.map(l),d=i(o=>[m,o].filter(Boolean).join(`

`),"join");return[...$.map(o=>d(x(c,o).trimEnd())),...e?[`${m}

The report of each machine is in the artifact.`]:[]]}i(j,"renderShards");async function D(r,t,n){await W(r,{recursive:!0}),await f(a(r,"shards.json"),`${JSON.stringify(n)}
`);for(let e of t){let m=a(r,`${S(e)}`);await W(m,{recursive:!0}),await f(a(m,"results.json"),`${JSON.stringify(e)}
`)}await f(a(r,"report.md"),`${u(t,n)[0]}
`);let s=O(t.map(w),p(t));t.length>0&&await f(a(r,"report.html"),s)}i(D,"writeGathered");async function I(r,t,n){let s=b(u(r,t).map(e=>J(e,n)),e=>Buffer.byteLength(e)<=1048576);await R.addRaw(s,!0).write()}i(I,"summarise");async function Q(r,t){let{origin:n,results:s,wanted:e}=r;if(n&&!n.pull)return t.info(`No comment: ${n.why}.`),0;let m=n?E(r.job,n):r.job,c=s.find(({run:o})=>o.stopped)?.run.stopped??null,d=u(s,e).map(o=>J(o,m.runUrl));return t.setOutput("comment-url",await k(d,c,m,t)??""),0}i(Q,"commentOnOrigin");function E(r,{pull:t,measured:n}){return n?{...r,pull:t,key:r.key===null?null:U(n.workflow),runUrl:r.runUrl.replace(/\d*$/,`${n.run}`)}:{...r,pull:t}}i(E,"adopt");function U(r){return`workflow/${r}`}i(U,"workflowKey");function J(r,t){return`${r}

Results, reports and raw data: artifacts of [this run](${t}).
`}i(J,"linked");function u(r,t){try{return j(r,t)}catch(n){throw new g("these results cannot be shown",{found:n.message})}}i(u,"render");export{D as a,I as b,Q as c};
