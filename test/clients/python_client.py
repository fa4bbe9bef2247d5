"""One of the Python clients, driven by lines of JSON: {"list": true} or {"name", "arguments"}; answers a line each."""

import asyncio
import json
import sys
from typing import Literal

TASKS = "io.modelcontextprotocol/tasks"


def shown(result):
    blocks = [block.model_dump(by_alias=True, mode="json") for block in result.content]
    is_error = getattr(result, "is_error", getattr(result, "isError", False))
    return {"content": blocks, "isError": bool(is_error)}


def task_extension():
    """Follows a task as the extension describes it: the package leaves that to whoever declares it."""
    from mcp.client.extension import ClientExtension, ResultClaim
    from mcp_types import CallToolResult, Request, RequestParams, Result
    from pydantic import ConfigDict

    class TaskParams(RequestParams):
        taskId: str

    class GetTask(Request[TaskParams, str]):
        name_param = "taskId"
        method: str = "tasks/get"
        params: TaskParams

    class Created(Result):
        model_config = ConfigDict(extra="allow")
        result_type: Literal["task"] = "task"
        taskId: str

    class Seen(Result):
        model_config = ConfigDict(extra="allow")
        status: str
        result: dict | None = None

    async def follow(created, context):
        while True:
            request = GetTask(params=TaskParams(taskId=created.taskId))
            seen = await context.session.send_request(request, Seen)
            if seen.status not in ("working", "input_required"):
                return CallToolResult.model_validate(seen.result)
            await asyncio.sleep(0.1)

    class Tasks(ClientExtension):
        identifier = TASKS

        def claims(self):
            return [ResultClaim(result_type="task", model=Created, resolve=follow)]

    return Tasks()


async def serve(list_tools, call_tool):
    while line := await asyncio.to_thread(sys.stdin.readline):
        asked = json.loads(line)
        if "name" in asked:
            answer = shown(await call_tool(asked["name"], asked["arguments"]))
        else:
            answer = {"tools": [tool.name for tool in await list_tools()]}
        print(json.dumps(answer), flush=True)


async def with_mcp(url, key, mode, extensions):
    import httpx2
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=60) as http:
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport, mode=mode, extensions=extensions) as client:

            async def list_tools():
                return (await client.list_tools()).tools

            await serve(list_tools, client.call_tool)


async def with_fastmcp(url, key, is_task):
    from fastmcp import Client

    if is_task:
        # Whoever imports it has tasks followed by every client.
        import fastmcp_tasks  # noqa: F401

    async with Client(url, auth=key) as client:
        await serve(client.list_tools, lambda name, given: client.call_tool(name, given, raise_on_error=False))


async def with_mcp_1(url, key, is_task):
    """The first generation of the MCP Python SDK, whose tasks are those of 2025-11-25."""
    from mcp import ClientSession
    from mcp.client.streamable_http import streamablehttp_client

    async with streamablehttp_client(url, headers={"Authorization": f"Bearer {key}"}) as (reading, writing, _):
        async with ClientSession(reading, writing) as session:
            await session.initialize()

            async def list_tools():
                return (await session.list_tools()).tools

            await serve(list_tools, following(session) if is_task else session.call_tool)


def following(session):
    from mcp.types import CallToolResult

    async def follow(name, given):
        task = (await session.experimental.call_tool_as_task(name, given)).task
        async for _ in session.experimental.poll_task(task.taskId):
            pass
        return await session.experimental.get_task_result(task.taskId, CallToolResult)

    return follow


def langchain_client(url, key):
    from langchain_mcp_adapters.client import MultiServerMCPClient

    server = {"transport": "streamable_http", "url": url, "headers": {"Authorization": f"Bearer {key}"}}
    return MultiServerMCPClient({"assay": server})


async def with_langchain_tasks(url, key):
    """Its tools are called and waited for: a task is followed by the session of the MCP SDK that it gives out."""
    async with langchain_client(url, key).session("assay") as session:
        await serve(session.list_tools, following(session))


async def with_langchain(url, key):
    tools = {tool.name: tool for tool in await langchain_client(url, key).get_tools()}

    async def list_tools():
        return tools.values()

    class Message:
        def __init__(self, message):
            self.content = [Block(block) for block in message.content]
            self.is_error = message.status == "error"

    class Block:
        def __init__(self, block):
            self.block = block

        def model_dump(self, **_):
            return self.block

    async def call_tool(name, given):
        call = {"type": "tool_call", "id": "c1", "name": name, "args": given}
        return Message(await tools[name].ainvoke(call))

    await serve(list_tools, call_tool)


kind, url, key = sys.argv[1:]
runs = {
    "mcp": lambda: with_mcp(url, key, "auto", []),
    "mcp-earlier": lambda: with_mcp(url, key, "legacy", []),
    "mcp-tasks": lambda: with_mcp(url, key, "auto", [task_extension()]),
    "mcp-1": lambda: with_mcp_1(url, key, False),
    "mcp-1-tasks": lambda: with_mcp_1(url, key, True),
    "fastmcp": lambda: with_fastmcp(url, key, False),
    "fastmcp-tasks": lambda: with_fastmcp(url, key, True),
    "langchain": lambda: with_langchain(url, key),
    "langchain-tasks": lambda: with_langchain_tasks(url, key),
}
asyncio.run(runs[kind]())
