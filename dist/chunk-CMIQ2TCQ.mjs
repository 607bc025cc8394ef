import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);
import{c as b,f as k}from"./chunk-5J5DJJLV.mjs";import{a as p}from"./chunk-R4X26LOL.mjs";import{$,M as h,N as w,aa as O,ba as x,ca as R}from"./chunk-BRIWYJAB.mjs";import{e as S}from"./chunk-Z57MYQ25.mjs";import{f as l}from"./chunk-GRW72X7C.mjs";import{Ua as y}from"./chunk-NTKYXG2V.mjs";import{a as g}from"./chunk-CJZWI66G.mjs";import{a as i}from"./chunk-J4GWMTJ2.mjs";import{mkdir as j,writeFile as f}from"node:fs/promises";import{join as m}from"node:path";function W(r,t){let n=r.map(({plan:e})=>e.shard?.index),s=t.map(({index:e})=>e).filter(e=>!n.includes(e)),o=p(r),a=o?h({...o,missing:s},t):w({missing:s,of:t.length},t);if(r.length===0)return[a];let c=r.map(y),d=i(e=>[a,e].filter(Boolean).join(`

`),"join");return[...x.map(e=>d(R(c,e).trimEnd())),...o?[`${a}

The report of each machine is in the artifact.`]:[]]}i(W,"renderShards");async function D(r,t,n){await j(r,{recursive:!0}),await f(m(r,"shards.json"),`${JSON.stringify(n)}
`);for(let o of t){let a=m(r,`${S(o)}`);await j(a,{recursive:!0}),await f(m(a,"results.json"),`${JSON.stringify(o)}
`)}await f(m(r,"report.md"),`${u(t,n)[0]}
`);let s=O(t.map($),p(t));t.length>0&&await f(m(r,"report.html"),s)}i(D,"writeGathered");async function I(r,t,n){let s=b(u(r,t).map(o=>J(o,n)),o=>Buffer.byteLength(o)<=1048575);await l.addRaw(s,!0).write()}i(I,"summarise");async function Q(r,t){let{origin:n,results:s,wanted:o}=r;if(n&&!n.pull)return t.info(`No comment: ${n.why}.`),0;let a=n?E(r.job,n):r.job,c=s.find(({run:e})=>e.stopped)?.run.stopped??null,d=u(s,o).map(e=>J(e,a.runUrl));return t.setOutput("comment-url",await k(d,c,a,t)??""),0}i(Q,"commentOnOrigin");function E(r,{pull:t,measured:n}){return n?{...r,pull:t,key:r.key===null?null:U(n.workflow,r.artifactName),runUrl:r.runUrl.replace(/\d*$/,`${n.run}`)}:{...r,pull:t}}i(E,"adopt");function U(r,t){return`workflow/${r}/${t}`}i(U,"workflowKey");function J(r,t){return`${r}

Results, reports and raw data: artifacts of [this run](${t}).
`}i(J,"linked");function u(r,t){try{return W(r,t)}catch(n){throw new g("these results cannot be shown",{found:n.message})}}i(u,"render");export{D as a,I as b,Q as c};
