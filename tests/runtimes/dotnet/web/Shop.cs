// SPDX-License-Identifier: BSD-2-Clause
// A web server that has a leak: it remembers every visit for ever. Prints "ready" and its address.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Shop;

sealed class Visit
{
    public string Page;
    public DateTime When = DateTime.UtcNow;
    public byte[] Cookie = new byte[100];
}

static class Visits
{
    static readonly Dictionary<Guid, Visit> byId = new();

    public static void Remember(string page)
    {
        lock (byId)
            byId[Guid.NewGuid()] = new Visit { Page = page };
    }
}

sealed record Article(int Number, string Name, decimal Price);

static class Server
{
    static IEnumerable<Article> Articles()
    {
        Visits.Remember("/");
        return Enumerable.Range(1, 20).Select(i => new Article(i, $"article {i}", i * 0.99m));
    }

    static async Task Main(string[] args)
    {
        WebApplicationBuilder builder = WebApplication.CreateBuilder(args);
        builder.Logging.ClearProviders();
        WebApplication app = builder.Build();
        app.MapGet("/", Articles);
        app.Urls.Add("http://127.0.0.1:0");
        await app.StartAsync();
        Console.WriteLine($"ready {app.Urls.First()}");
        await app.WaitForShutdownAsync();
    }
}
